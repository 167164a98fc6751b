import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { processStart } from '../../src/kit/node/processes.ts'
import type { Postern } from '../../src/model/postern.ts'
import { type CommandOptions, postern, posternJson } from '../helpers/command.ts'
import { type HostProcess, startHostProcess } from '../helpers/hosts/host-process.ts'
import { openLocal } from '../helpers/open-local.ts'
import { HOST_ENV } from '../helpers/patience.ts'
import { fastFolder } from '../helpers/temp.ts'
import { warmPostern, warmPosternJson } from '../helpers/warm-command.ts'
import { verifies } from './verifies.ts'

const SESSION = 'ses_quinn'

/** Two agents, a person, and a living process that is registered as a session of quinn. */
async function prepare(env: Readonly<Record<string, string>> = {}): Promise<{ home: string; host: HostProcess }> {
  const home = fastFolder()
  const host = startHostProcess({ home, env })
  onTestFinished(() => host.stop())
  await withStore(home, async ({ agents, sessions }) => {
    await agents.add({ id: 'quinn' })
    await agents.add({ id: 'mindy' })
    await agents.add({ id: 'justin', kind: 'human' })
    const pidStartedAt = processStart(host.pid)
    if (pidStartedAt === undefined) throw new Error('it is not known when the host process started')
    await sessions.begin({ id: SESSION, agent: 'quinn', host: 'generic', pid: host.pid, pidStartedAt })
  })
  return { home, host }
}

async function withStore(home: string, work: (store: Postern) => Promise<unknown>): Promise<void> {
  const store = await openLocal(join(home, 'postern.db'), { upkeep: false })
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

async function sendersOf(options: CommandOptions): Promise<string[]> {
  const page = await warmPosternJson<{ items: { from: { id: string; kind: string } }[] }>(options, 'inbox', 'list')
  return page.items.map(({ from }) => `${from.id} (${from.kind})`)
}

describe('a script that tries a hook out', () => {
  it('is no host, so a person may still speak in it', async () => {
    const home = fastFolder()
    await posternJson({ home }, 'agent', 'add', 'quinn')
    await posternJson({ home }, 'agent', 'add', 'justin', '--kind', 'human')
    const stdin = JSON.stringify({ session_id: 's1', cwd: home, hook_event_name: 'SessionStart', source: 'startup' })
    expect(
      await postern({ home, stdin, env: HOST_ENV }, 'hook', '--host', 'claude-code', '--agent', 'quinn'),
    ).toMatchObject({
      exit: 0,
    })
    expect(await posternJson({ home }, 'agent', 'show', 'quinn')).toMatchObject({ session: { id: 's1', pid: null } })
    await posternJson({ home }, 'inbox', 'push', '--as', 'justin', '--to', 'quinn', 'Go on.')
    expect(await sendersOf({ home })).toEqual(['justin (human)'])
  })
})

describe('a process within a session of an AI', () => {
  it('may not speak as a person, by whatever way it names one', async () => {
    verifies('G15.no-posing')
    const { home, host } = await prepare()
    const attempts = [
      ['inbox', 'push', '--as', 'justin', '--to', 'mindy', 'Approved.'],
      ['inbox', 'push', '--agent', 'justin', '--to', 'mindy', 'Approved.'],
      ['inbox', 'push', '--as', 'justin', '--to', 'mindy', '--wait-for', 'stored', 'Approved.'],
      ['inbox', 'drain', '--as', 'justin', '--agent', 'mindy'],
      ['inbox', 'drain', '--agent', 'justin'],
      ['inbox', 'drain', '--as', 'quinn', '--agent', 'justin'],
      ['agent', 'rename', '--as', 'justin', 'mindy', 'Boss'],
    ]
    for (const args of attempts) {
      const { exit, stdout, stderr } = await host.postern(...args)
      expect({ args, exit, stdout }).toEqual({ args, exit: 4, stdout: '' })
      expect(stderr).toMatch(/^postern: This process belongs to a session of quinn.* \[NOT_ALLOWED\]\n$/s)
    }
    expect(await sendersOf({ home })).toEqual([])
  })

  it('may not speak as a person that its environment names', async () => {
    verifies('G15.no-posing')
    const { home, host } = await prepare({ POSTERN_AGENT: 'justin' })
    expect(await host.postern('inbox', 'push', '--to', 'mindy', 'Approved.')).toMatchObject({ exit: 4, stdout: '' })
    expect(await sendersOf({ home })).toEqual([])
  })

  it('is that agent without a name', async () => {
    verifies('G15.no-posing')
    const { home, host } = await prepare()
    expect(await host.postern('inbox', 'push', '--to', 'mindy', 'The build is green.')).toMatchObject({ exit: 0 })
    expect(await host.postern('inbox', 'push', 'A note to myself.')).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/ for quinn\n$/),
    })
    expect(await sendersOf({ home })).toEqual(['quinn (ai)', 'quinn (ai)'])
  })

  it('may not say that the settings of a project are to be trusted, which may switch gates off', async () => {
    verifies('G15.no-posing')
    const { home, host } = await prepare()
    writeFileSync(join(home, 'postern.config.json'), '{ "gates": { "decision": "off" } }')
    for (const named of [[], ['--as', 'mindy'], ['--as', 'justin']]) {
      const outcome = await host.postern('config', 'trust', ...named)
      expect(outcome).toMatchObject({ exit: 4, stderr: expect.stringContaining('[NOT_ALLOWED]') })
    }
    expect(existsSync(join(home, 'trusted.json'))).toBe(false)
    expect(await warmPostern({ home }, 'config', 'trust')).toMatchObject({ exit: 0 })
  })

  it('is still that agent when the session has ended and its host lives', async () => {
    verifies('G15.no-posing')
    const { home, host } = await prepare()
    await withStore(home, ({ sessions }) => sessions.end({ id: SESSION }))
    expect(await host.postern('inbox', 'push', '--to', 'mindy', 'hello')).toMatchObject({ exit: 0 })
    expect(await sendersOf({ home })).toEqual(['quinn (ai)'])
    const posing = await host.postern('inbox', 'push', '--as', 'justin', '--to', 'mindy', 'Approved.')
    expect(posing).toMatchObject({ exit: 4, stderr: expect.stringContaining('a session of quinn') })
  })

  it('is still that agent when its host also claims a session of a person', async () => {
    verifies('G15.no-posing')
    const { home, host } = await prepare()
    await withStore(home, ({ sessions }) =>
      sessions.begin({ id: 'claimed', agent: 'justin', pid: host.pid, pidStartedAt: processStart(host.pid) ?? 0 }),
    )
    const posing = await host.postern('inbox', 'push', '--as', 'justin', '--to', 'mindy', 'Approved.')
    expect(posing).toMatchObject({ exit: 4, stderr: expect.stringContaining('a session of quinn') })
  })

  it('registers no person or owner, renames no person and removes no agent', async () => {
    verifies('G15.no-posing')
    const { home, host } = await prepare()
    await withStore(home, ({ agents }) => agents.add({ id: 'anna', kind: 'human' }))
    await withStore(home, ({ agents }) => agents.remove({ id: 'anna' }))
    const attempts = [
      ['agent', 'add', 'shadow', '--kind', 'human'],
      ['agent', 'add', 'shadow', '--kind', 'human', '--owner'],
      ['agent', 'add', 'justin', '--kind', 'human', '--owner'],
      ['agent', 'add', 'anna', '--restore'],
      ['agent', 'rename', 'justin', 'Nobody Important'],
      ['agent', 'remove', 'mindy'],
      ['agent', 'remove', 'justin'],
    ]
    const before = await warmPosternJson({ home }, 'agent', 'list', '--removed')
    for (const words of attempts) {
      for (const named of [[], ['--as', 'mindy'], ['--as', 'justin']]) {
        const { exit, stderr } = await host.postern(...words, ...named)
        expect({ words, named, exit }).toEqual({ words, named, exit: 4 })
        expect(stderr).toContain('[NOT_ALLOWED]')
      }
    }
    expect(await warmPosternJson({ home }, 'agent', 'list', '--removed')).toEqual(before)
    expect(await host.postern('agent', 'add', 'tess')).toMatchObject({ exit: 0 })
  })
})

describe('a process outside every session', () => {
  it('may speak as a person, and is nobody in particular without a name', async () => {
    verifies('G15.no-posing')
    const { home } = await prepare()
    const options = { home }
    expect(await postern(options, 'inbox', 'push', '--as', 'justin', '--to', 'mindy', 'one')).toMatchObject({ exit: 0 })
    expect(await postern(options, 'inbox', 'push', '--to', 'mindy', 'two')).toMatchObject({ exit: 0 })
    expect(await sendersOf(options)).toEqual(['justin (human)', 'local (local)'])
  })
})
