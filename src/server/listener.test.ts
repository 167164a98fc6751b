import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createListener, type Listener } from './listener.ts'

interface Opened {
  readonly listener: Listener
  /** What was asked for, in the order in which it was begun. */
  readonly begun: string[]
  /** Answers that were begun and are for the test to end. */
  readonly held: ServerResponse[]
  dial(): Promise<Dialled>
}

interface Dialled {
  readonly socket: Socket
  readonly heard: () => string
  readonly hungUp: Promise<unknown>
}

/** A listener that holds back the answers to `/held`. */
async function open(): Promise<Opened> {
  const begun: string[] = []
  const held: ServerResponse[] = []
  const listener = createListener(
    (request, response) => {
      begun.push(request.url ?? '')
      if (request.url === '/held') held.push(response)
      else response.end('done')
    },
    () => {},
  )
  const { port } = await listener.listen('127.0.0.1', 0)
  onTestFinished(() => listener.close(0))
  return { listener, begun, held, dial: () => dial(port) }
}

async function dial(port: number): Promise<Dialled> {
  const socket = connect(port, '127.0.0.1')
  let heard = ''
  socket.on('data', (chunk) => {
    heard += chunk
  })
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  const hungUp = new Promise((resolve) => socket.once('close', resolve))
  await once(socket, 'connect')
  return { socket, heard: () => heard, hungUp }
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const answers = (heard: string) => heard.split('HTTP/1.1 200 ').length - 1

describe('the requests of one connection', () => {
  it('are answered one after the other, however they are sent', async () => {
    const { begun, held, dial } = await open()
    const { socket, heard } = await dial()
    socket.write(get('/held') + get('/b') + get('/c'))
    await expect.poll(() => held.length).toBe(1)
    expect(begun).toEqual(['/held'])
    held[0]?.end('at last')
    await expect.poll(() => answers(heard())).toBe(3)
    expect(begun).toEqual(['/held', '/b', '/c'])
  })

  it('are refused where too many are sent ahead', async () => {
    const { begun, dial } = await open()
    const { socket, hungUp } = await dial()
    socket.write(get('/held').repeat(100))
    await hungUp
    expect(begun).toEqual(['/held'])
  })

  it('may be followed by nonsense, which has no answer that could be taken for theirs', async () => {
    const { held, dial } = await open()
    const [begun, unbegun] = [await dial(), await dial()]
    begun.socket.write(get('/held'))
    await expect.poll(() => held.length).toBe(1)
    held[0]?.write('a part')
    await expect.poll(begun.heard).toContain('a part')
    begun.socket.write('NONSENSE\r\n\r\n')
    await begun.hungUp
    expect(begun.heard()).not.toContain('400')
    unbegun.socket.write(`${get('/held')}NONSENSE\r\n\r\n`)
    await unbegun.hungUp
    expect(unbegun.heard()).toBe('')
  })
})

describe('a listener that is closed', () => {
  it('answers what has come and is not yet read, and says that it is the last', async () => {
    const { listener, dial } = await open()
    const { socket, heard, hungUp } = await dial()
    socket.write(get('/first'))
    await expect.poll(() => answers(heard())).toBe(1)
    socket.write(get('/second'))
    await listener.close(5_000)
    await hungUp
    expect(answers(heard())).toBe(2)
    expect(heard()).toMatch(/connection: close\r\n(?:.*\r\n)*\r\ndone$/i)
  })

  it('waits for what is under way, and not for whoever only rests', async () => {
    const { listener, held, dial } = await open()
    const [busy, resting] = [await dial(), await dial()]
    busy.socket.write(get('/held'))
    resting.socket.write(get('/first'))
    await expect.poll(() => held.length).toBe(1)
    await expect.poll(() => answers(resting.heard())).toBe(1)
    const closing = listener.close(60_000)
    await resting.hungUp
    held[0]?.end('at last')
    await closing
    await busy.hungUp
    expect(busy.heard()).toContain('at last')
  })

  it('does not wait for a client that has connected and sent nothing', async () => {
    const { listener, dial } = await open()
    const { hungUp } = await dial()
    await listener.close(240_000)
    await hungUp
  })

  it('cuts off what does not end', async () => {
    const { listener, held, dial } = await open()
    const { socket, heard, hungUp } = await dial()
    socket.write(get('/held'))
    await expect.poll(() => held.length).toBe(1)
    await listener.close(50)
    await hungUp
    expect(heard()).toBe('')
  })
})
