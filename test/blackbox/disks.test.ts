import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fill, mountMemory, needsMounts } from '../faults/harness/disk.ts'
import { run } from '../faults/harness/need.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { makePlace, type Place } from './harness/place.ts'

const TEXTS = ['number 1', 'number 2', 'number 3']
const SMALL = 'size=4m,mode=700'

interface Listing {
  readonly items: readonly { readonly content: string }[]
}

describe('a disk that is full', needsMounts(), () => {
  it('is readable by commands, acknowledges no push, and has lost nothing once space is free', async () => {
    const { place, filler } = await makeSmall()
    fill(filler)
    expect(contentsOf(await place.ask('inbox', 'list', '--agent', 'quinn'))).toEqual(TEXTS)
    const doctor = await place.run(['doctor', '--json'])
    expect(JSON.parse(doctor.stdout).checks.length).toBeGreaterThan(5)
    const pushed = await place.run(['inbox', 'push', '--to', 'quinn', 'x'.repeat(60_000)])
    expect(pushed).toMatchObject({ stderr: expect.stringContaining('[STORE_FULL]') })
    expect(pushed.exit).not.toBe(0)
    rmSync(filler)
    expect(await drain(place)).toEqual(TEXTS)
    expect(await drain(place)).toEqual([])
  })

  it('is read through a server, which goes on when there is room again', async () => {
    const { place, filler } = await makeSmall()
    const server = await place.serve()
    fill(filler)
    const list = await server.ask('GET /api/v1/inbox?agent=quinn')
    expect([list.status, contentsOf(list.body)]).toEqual([200, TEXTS])
    const large = { to: ['quinn'], content: 'x'.repeat(60_000) }
    let refused = await server.ask('POST /api/v1/inbox', { body: large })
    // The log has some room of its own.
    while (refused.status === 201) refused = await server.ask('POST /api/v1/inbox', { body: large })
    expect(refused.body).toMatchObject({ code: 'STORE_FULL', retryable: true })
    rmSync(filler)
    expect((await server.ask('POST /api/v1/inbox', { body: { to: ['robin'], content: 'again' } })).status).toBe(201)
    expect((await drain(place)).slice(0, 3)).toEqual(TEXTS)
  })
})

describe('a disk that is read-only', needsMounts(), () => {
  it('lets a strict gate hold its agent, and refuses a push with the reason', async () => {
    const { place, folder } = await makeSmall()
    await place.ask('gate', 'create', '--agent', 'quinn', '--kind', 'human', '--reason', 'wait for justin')
    const event = (name: string) => JSON.stringify({ hook_event_name: name, session_id: 'ses-1', cwd: place.home })
    const hook = ['hook', '--host', 'claude-code', '--agent', 'quinn']
    const started = await place.run(hook, { stdin: event('SessionStart') })
    for (const text of TEXTS) expect(started.stdout).toContain(text)
    run('mount', ['-o', 'remount,ro', folder])
    const stop = await place.run(hook, { stdin: event('Stop') })
    expect(JSON.parse(stop.stdout)).toMatchObject({ decision: 'block' })
    const pushed = await place.run(['inbox', 'push', '--to', 'quinn', 'one more'])
    expect(pushed.stderr).toContain('[STORE_READ_ONLY]')
    run('mount', ['-o', 'remount,rw', folder])
    await place.ask('inbox', 'push', '--to', 'quinn', 'one more')
    expect(await drain(place)).toEqual(['one more'])
  })
})

async function makeSmall(): Promise<{ place: Place; folder: string; filler: string }> {
  const folder = join(temporaryFolder(), 'small')
  onTestFinished(mountMemory(folder, SMALL))
  const place = await makePlace({ home: join(folder, 'home') })
  for (const text of TEXTS) await place.ask('inbox', 'push', '--to', 'quinn', text)
  return { place, folder, filler: join(folder, 'filler') }
}

async function drain(place: Place): Promise<string[]> {
  const { messages } = await place.ask<{ messages: Listing['items'] }>('inbox', 'drain', '--agent', 'quinn')
  return messages.map(({ content }) => content)
}

function contentsOf({ items }: Listing): string[] {
  return items.map(({ content }) => content)
}
