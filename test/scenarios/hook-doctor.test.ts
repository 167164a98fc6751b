import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HOSTS } from '../../src/hooks/hosts/hosts.ts'
import { installLauncher } from '../../src/hooks/install/install-launcher.ts'
import { findBypasses } from '../../src/hooks/shadows.ts'
import type { HealthCheck, HealthReport } from '../../src/model/postern.ts'
import { runShell } from '../faults/harness/cli.ts'
import { withStore } from '../faults/harness/home.ts'
import { createGate, deliveryOf, fire, makePlace, type Place, push } from '../faults/harness/hook.ts'
import { verifies } from './verifies.ts'

describe('doctor', () => {
  it('prints what each host can do, and how well that is known', async () => {
    verifies('S000.doctor.hooks')
    const place = await makePlace()
    const { hosts } = await examine(place)
    expect(Object.keys(hosts)).toEqual(Object.keys(HOSTS))
    expect(hosts['cursor']).toMatchObject({ prompt: 'unsupported', stop: 'documented' })
    const { stdout } = await doctor(place)
    expect(stdout).toMatch(/HOST +SESSION START/)
    for (const host of Object.keys(HOSTS)) expect(stdout).toMatch(new RegExp(`^${host} `, 'm'))
  })

  it('runs the hooks that are installed, and says for whom they answer and how fast', async () => {
    verifies('S000.doctor.hooks')
    const place = await makePlace()
    const id = await push(place, 'not for the doctor')
    await run(place, 'init --host claude-code --agent quinn --scope project -y')
    await run(place, 'init --host codex --agent quinn -y')
    const { checks } = await examine(place)
    for (const host of ['claude-code', 'codex']) {
      // On a busy machine it is slow, and doctor says so.
      expect(named(checks, `host.${host}`)?.detail).toMatch(/answers for quinn in \d+ ms/)
    }
    expect(named(checks, 'host.codex.trust')).toMatchObject({ ok: false, level: 'note' })
    expect(named(checks, 'hooks.faults')).toMatchObject({ ok: true })
    // Looking changes nothing.
    expect(await deliveryOf(place, id)).toMatchObject({ state: 'pending', attempt: 0 })
    expect(await withStore(place.home, ({ sessions }) => sessions.list())).toEqual([])
  })

  it('says that hooks do not answer whose launcher is broken', async () => {
    verifies('S000.doctor.hooks')
    const place = await makePlace()
    await run(place, 'init --host claude-code --agent quinn --scope project -y')
    writeFileSync(join(place.home, 'bin', 'hook'), '#!/bin/sh\nexit 0\n')
    const { checks } = await examine(place)
    expect(named(checks, 'host.claude-code')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('did not answer'),
    })
  })

  it('shows what the launcher could not find', async () => {
    const place = await makePlace()
    await run(place, 'init --host claude-code --agent quinn --scope project -y')
    const launcher = join(place.home, 'bin', 'hook')
    installLauncher({ node: process.execPath, program: '/nowhere/postern.cjs', home: place.home })
    await runShell(
      place.home,
      `cd '${place.project}'; echo '{}' | PATH=/usr/bin:/bin '${launcher}' claude-code quinn full`,
    )
    const { checks } = await examine(place)
    expect(named(checks, 'hooks.faults')?.detail).toContain('launcher')
  })

  it('runs nothing of a project that only looks like ours', async () => {
    verifies('S000.doctor.hooks')
    const place = await makePlace()
    const evil = join(place.project, '.postern', 'bin')
    mkdirSync(evil, { recursive: true })
    writeFileSync(join(evil, 'hook'), '#!/bin/sh\ntouch "$(dirname "$0")/ran"\n')
    chmodSync(join(evil, 'hook'), 0o755)
    const commands = [`${evil}/hook`, `"$(touch '${evil}/ran')/.postern/bin/hook"`]
    const hooks = {
      Stop: [{ hooks: commands.map((word) => ({ type: 'command', command: `${word} claude-code quinn full` })) }],
    }
    mkdirSync(join(place.project, '.claude'))
    writeFileSync(join(place.project, '.claude', 'settings.json'), JSON.stringify({ hooks }))
    const { checks } = await examine(place)
    expect(named(checks, 'host.claude-code')).toMatchObject({ ok: false, detail: expect.stringContaining('not tried') })
    expect(() => readFileSync(join(evil, 'ran'))).toThrow()
  })

  it('tells of sessions without an agent, of bypassed gates and of bad lines in spools', async () => {
    verifies('S000.doctor.hooks')
    const place = await makePlace()
    await createGate(place, { onUnavailable: 'allow' })
    await fire(place, 'SessionStart', { fields: { source: 'startup' } })
    await fire(place, 'Stop', { agent: null })
    rmSync(join(place.home, 'postern.db'))
    await fire(place, 'Stop')
    expect(findBypasses(place.home, Date.now())).toHaveLength(1)
    const quarantine = join(place.project, '.runtime', 'inject-queue', 'quarantine')
    mkdirSync(quarantine, { recursive: true })
    writeFileSync(join(quarantine, 'ses-1.jsonl'), 'no entry')
    const { checks, ok } = await examine(place)
    expect(named(checks, 'hooks.unbound')?.detail).toContain('claude-code')
    expect(named(checks, 'gates.bypassed')?.detail).toContain('of quinn')
    expect(named(checks, 'hooks.faults')?.detail).toContain('missing or empty')
    expect(named(checks, 'spool.quarantine')).toMatchObject({ ok: false })
    expect(ok).toBe(true)
  })
})

type Report = HealthReport & { readonly hosts: Readonly<Record<string, Readonly<Record<string, string>>>> }

async function examine(place: Place): Promise<Report> {
  return JSON.parse((await doctor(place, '--json')).stdout)
}

function doctor(place: Place, ...words: readonly string[]) {
  return run(place, ['doctor', ...words].join(' '))
}

/** As in the project, by a user with a home of their own. */
async function run({ home, project }: Place, words: string) {
  const user = join(home, '..', 'user')
  mkdirSync(user, { recursive: true })
  return runShell(home, `cd '${project}'; export HOME='${user}'; postern ${words}`)
}

function named(checks: readonly HealthCheck[], name: string): HealthCheck | undefined {
  return checks.find((check) => check.name === name)
}
