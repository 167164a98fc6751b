import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { fire, makePlace } from '../../faults/harness/hook.ts'
import { type CommandOptions, postern, posternJson } from '../../helpers/command.ts'
import { openLocal } from '../../helpers/open-local.ts'
import { PATIENTLY } from '../../helpers/patience.ts'
import { temporaryFolder } from '../../helpers/temp.ts'
import { FULL } from '../../helpers/tier.ts'
import { warmPostern, warmPosternJson } from '../../helpers/warm-command.ts'
import { verifies } from '../verifies.ts'

interface PlanJson {
  readonly id: string
  readonly agent: string
  readonly name: string
  readonly cron: string | null
  readonly nextRunAt: string | null
  readonly pausedAt: string | null
  readonly upcomingAt: readonly string[]
}

const HOUR_MS = 3_600_000
const ANALYST = ['--agent', 'analyst']
const SET = ['plan', 'set', ...ANALYST]

async function prepare(): Promise<CommandOptions> {
  const options = { home: temporaryFolder() }
  for (const words of [['analyst'], ['designer'], ['husam', '--kind', 'human']]) {
    expect(await warmPostern(options, 'agent', 'add', ...words)).toMatchObject({ exit: 0 })
  }
  return options
}

describe('the plans of seed 001, on the command line', () => {
  it('are relative, dated or recurring', async () => {
    verifies('S001.plan.command')
    const options = await prepare()
    const before = Date.now()
    const soon = await posternJson<PlanJson>(options, ...SET, '--name', 'soon', '--run-after', '5 hours', 'Look again')
    expect(Date.parse(soon.nextRunAt ?? '')).toBeGreaterThanOrEqual(before + 5 * HOUR_MS)
    expect(Date.parse(soon.nextRunAt ?? '')).toBeLessThanOrEqual(Date.now() + 5 * HOUR_MS)
    const at = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 48 * HOUR_MS).toISOString()
    const dated = await posternJson<PlanJson>(options, ...SET, '--name', 'dated', '--at', at, 'Announce it')
    expect(dated).toMatchObject({ agent: 'analyst', cron: null, nextRunAt: at, upcomingAt: [at] })
    const rhythm = ['--cron', '0 9 * * 1', '--tz', 'Europe/Berlin']
    const weekly = await posternJson<PlanJson>(options, ...SET, '--name', 'weekly', ...rhythm, 'Write the report')
    expect(weekly).toMatchObject({ cron: '0 9 * * 1', zone: 'Europe/Berlin' })
    expect(weekly.upcomingAt).toHaveLength(5)
    for (const each of weekly.upcomingAt) {
      const local = new Date(each).toLocaleString('en-GB', {
        timeZone: 'Europe/Berlin',
        weekday: 'long',
        hour: '2-digit',
      })
      expect(local).toMatch(/Monday.*09/)
    }
    const { items } = await posternJson<{ items: PlanJson[] }>(options, 'plan', 'list')
    expect(items.map(({ name }) => name).toSorted()).toEqual(['dated', 'soon', 'weekly'])
    const times = items.map(({ nextRunAt }) => nextRunAt ?? '')
    expect(times).toEqual(times.toSorted())
  })

  it('are shown to people with their zone, and their next five times', async () => {
    verifies('S001.plan.command')
    const options = await prepare()
    const rhythm = ['--cron', '30 17 * * *', '--tz', 'America/New_York', '--missed', 'skip', '--priority', '1']
    const { stdout: set } = await postern(options, ...SET, '--name', 'Daily report', ...rhythm, 'Post the numbers')
    expect(set).toMatch(/^plan_\w{26}: Daily report, a plan of analyst, 30 17 \* \* \* \(America\/New_York\)\n/)
    expect(set.match(/^ {2}\d{4}-\d\d-\d\d 17:30:00 America\/New_York · .*Z$/gm)).toHaveLength(5)
    const { stdout: shown } = await postern(options, 'plan', 'show', 'Daily report', ...ANALYST)
    expect(shown).toContain('Post the numbers')
    expect(shown).toContain('missed: skip')
    expect(shown).toContain('has not fired yet')
    expect(shown.match(/17:30:00 America\/New_York/g)).toHaveLength(5)
    const { stdout: listed } = await postern(options, 'plan', 'list')
    expect(listed).toMatch(/^ID +AGENT +NAME +WHEN +NEXT +RUNS +INSTRUCTION\n/)
    expect(listed).toMatch(
      /analyst +Daily report +30 17 \* \* \* \(America\/New_York\) +\d{4}-\S+Z +0 +Post the numbers/,
    )
  })

  it('fire without a server: the next command of anybody fires them, and a drain of their agent shows them', async () => {
    verifies('S001.plan.command', 'S001.plan.passing')
    const options = await prepare()
    await postern(options, ...SET, '--name', 'now', '--run-after', '1ms', 'Wake up')
    const { stdout } = await postern(options, 'inbox', 'drain', ...ANALYST)
    expect(stdout).toContain('Wake up')
    await postern(options, ...SET, '--name', 'again', '--run-after', '1ms', 'Wake up again')
    // Whoever comes by.
    await postern(options, 'inbox', 'push', '--to', 'designer', 'hello')
    const page = await posternJson<{ items: { type: string; content: string }[] }>(options, 'inbox', 'list', ...ANALYST)
    expect(page.items).toMatchObject([{ type: 'plan', content: 'Wake up again' }])
    await postern(options, 'inbox', 'drain', '--agent', 'designer')
    await postern(options, 'plan', 'set', '--agent', 'designer', '--run-after', '1s', 'Paint')
    expect(await postern(options, 'inbox', 'wait', '--agent', 'designer', '--timeout', '60s')).toMatchObject({
      exit: 0,
    })
  })

  it('fire where a program has the store open, although another has set them', FULL, async () => {
    verifies('S001.plan.command')
    const options = await prepare()
    const server = await openLocal(join(options.home, 'postern.db'))
    try {
      await postern(options, ...SET, '--name', 'soon', '--run-after', '2s', 'Wake up')
      await vi.waitFor(
        async () => expect((await server.inbox.list({ agent: 'analyst' })).items).toMatchObject([{ type: 'plan' }]),
        PATIENTLY,
      )
      expect(await server.plans.list({ agent: 'analyst' })).toEqual([])
    } finally {
      await server.close()
    }
  })

  it('are shown by the hook that finds them due', async () => {
    verifies('S001.plan.passing')
    const place = await makePlace()
    await fire(place, 'SessionStart', { fields: { source: 'startup' } })
    await posternJson(place, 'plan', 'set', '--agent', 'quinn', '--name', 'now', '--run-after', '1ms', 'Wake up')
    const fired = await fire(place, 'UserPromptSubmit')
    expect(fired.context).toContain('Wake up')
    expect(fired.context).toContain('from local (local, unverified, via plan)')
  })

  it('are changed by name, paused, resumed, run and deleted', async () => {
    verifies('S001.plan.command')
    const options = await prepare()
    const weekly = ['--name', 'weekly', '--cron', '0 9 * * 1']
    const { id } = await posternJson<PlanJson>(options, ...SET, ...weekly, 'Write the report')
    const changed = await posternJson<PlanJson>(options, ...SET, ...weekly.slice(0, 2), '--tz', 'Asia/Tokyo')
    expect(changed).toMatchObject({ id, instruction: 'Write the report', zone: 'Asia/Tokyo' })
    const paused = await posternJson<PlanJson>(options, 'plan', 'pause', 'weekly', ...ANALYST)
    expect([paused.pausedAt, paused.upcomingAt]).toEqual([expect.any(String), []])
    expect((await postern(options, 'plan', 'list')).stdout).toContain('paused')
    const resumed = await posternJson<PlanJson>(options, 'plan', 'resume', id)
    expect(resumed).toMatchObject({ pausedAt: null, nextRunAt: changed.nextRunAt })
    const ran = await posternJson<{ messageId: string }>(options, 'plan', 'run', id)
    expect((await postern(options, 'inbox', 'drain', ...ANALYST)).stdout).toContain(ran.messageId)
    expect(await posternJson(options, 'plan', 'delete', id)).toEqual({ deleted: [id] })
    expect(await postern(options, 'plan', 'show', id)).toMatchObject({ exit: 5 })
  })

  it('belong to their agent: another cannot set, see or delete them', async () => {
    const options = await prepare()
    const { id } = await posternJson<PlanJson>(options, ...SET, '--name', 'mine', '--run-after', '1h', 'Mine')
    for (const words of [
      [...SET, '--name', 'yours', '--run-after', '1h', 'x', '--as', 'designer'],
      ['plan', 'show', id, '--as', 'designer'],
      ['plan', 'delete', id, '--as', 'designer'],
    ]) {
      const refused = await postern(options, ...words)
      expect([refused.exit, refused.stderr]).toEqual([4, expect.stringContaining('[NOT_ALLOWED]')])
    }
    const hers = await posternJson<{ items: unknown[] }>(options, 'plan', 'list', '--as', 'designer')
    expect(hers.items).toEqual([])
  })

  it.each([
    ['CRON_INVALID', ['--cron', '*/0 * * * *']],
    ['CRON_INVALID', ['--cron', '* '.repeat(2_560)]],
    ['CRON_INVALID', ['--cron', '0 0 31 2 *']],
    ['CRON_INVALID', ['--cron', '* * * * * *']],
    ['ZONE_UNKNOWN', ['--cron', '0 9 * * 1', '--tz', 'Mars/Olympus']],
    ['DURATION_INVALID', ['--run-after', '-5 hours']],
    ['DURATION_INVALID', ['--run-after', '0s']],
    ['DURATION_INVALID', ['--run-after', '1000000 weeks']],
    ['PLAN_TIME_INVALID', ['--at', '2020-01-01T00:00:00Z']],
    ['PLAN_TIME_INVALID', ['--at', '9999-01-01T00:00:00Z']],
    ['PLAN_TIME_INVALID', ['--at', 'tomorrow']],
    ['PLAN_TIME_INVALID', []],
    ['VALUE_INVALID', ['--run-after', '1h', '--missed', 'sometimes']],
    ['USAGE', ['--run-after', '1h', '--cron', '0 9 * * 1']],
    ['GATE_NOT_FOUND', ['--gate', 'gate_none']],
  ])('are refused with %s in one line, and nothing is stored (case %$)', async (code, words) => {
    verifies('S001.plan.command', 'S001.plan.bad-times')
    const options = await prepare()
    const { exit, stdout, stderr } = await postern(options, ...SET, '--name', 'bad', ...words, 'x')
    expect(exit).toBeGreaterThan(0)
    expect([stdout, stderr.trim().split('\n').length]).toEqual(['', 1])
    expect(stderr).toContain(`[${code}]`)
    const { items } = await warmPosternJson<{ items: unknown[] }>(options, 'plan', 'list', '--all')
    expect(items).toEqual([])
  })
})
