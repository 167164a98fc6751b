import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { createFrameReader, createStatementReader } from './postgres-frames.ts'

/** `answer`: the server has done it, and nobody is told. `request`: it never got there. */
export type Lost = 'answer' | 'request'

export interface Cut {
  readonly statement: RegExp
  readonly lost: Lost
}

/** Stands between us and PostgreSQL, and cuts one connection at the worst moment. */
export interface CuttingProxy {
  /** The database as it is reached through here. */
  readonly url: string
  /** The next statement like this one ends its connection. Resolves when it has. */
  cutNext(cut: Cut): Promise<void>
}

export async function startCuttingProxy(url: string): Promise<CuttingProxy> {
  const target = new URL(url)
  const open = new Set<Socket>()
  let armed: (Cut & { readonly done: () => void }) | undefined

  const take = (statement: string | undefined) => {
    if (statement === undefined || !armed?.statement.test(statement)) return undefined
    const taken = armed
    armed = undefined
    return taken
  }

  function join(client: Socket): void {
    const server = connect(Number(target.port), target.hostname)
    const end = () => {
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) {
      open.add(socket)
      socket.setNoDelay(true)
      socket.on('error', end).on('close', () => {
        open.delete(socket)
        end()
      })
    }
    let cutting: typeof armed
    const finish = () => {
      end()
      cutting?.done()
    }
    const [readClient, readServer] = [createFrameReader({ isClient: true }), createFrameReader({ isClient: false })]
    const statementOf = createStatementReader()
    client.on('data', (piece: Buffer) => {
      for (const frame of readClient(piece)) {
        cutting ??= take(statementOf(frame))
        if (cutting?.lost === 'request') return finish()
        server.write(frame.bytes)
      }
    })
    server.on('data', (piece: Buffer) => {
      for (const { type, bytes } of readServer(piece)) {
        if (!cutting) client.write(bytes)
        // It is ready for the next one: so this one has been committed.
        else if (type === 'Z') finish()
      }
    })
  }

  const listener = createServer(join).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    listener.close()
  })
  const through = new URL(url)
  through.port = String((listener.address() as AddressInfo).port)
  return {
    url: through.href,
    cutNext: (cut) =>
      new Promise((resolve) => {
        armed = { ...cut, done: resolve }
      }),
  }
}
