import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readEvents } from '../../../test/fixtures/hooks/events.ts'
import { parseSessionId } from '../../model/session.ts'
import { parseStopCap } from '../stop-limit.ts'
import { HOOK_EVENTS, HOST_ABILITIES, type HookEvent, type Host, type HostAbility } from './host.ts'
import { findHost, HOSTS, type HostName } from './hosts.ts'

const NAMES = Object.keys(HOSTS) as HostName[]
const ALL = Object.entries(HOSTS) as [HostName, Host][]

describe('a host', () => {
  it.each(NAMES)('%s is found by its name', (name) => {
    expect(findHost(name)?.name).toBe(name)
  })

  it.each(['', 'Codex', 'constructor', '__proto__', 'toString'])('is not found by %j', (name) => {
    expect(findHost(name)).toBeUndefined()
  })

  it.each(ALL)('%s shows mail only where its text reaches the model, and never before a compaction', (_, host) => {
    const shown = Object.keys(host.drains)
    expect(HOOK_EVENTS.filter((name) => shown.includes(name) && !host.injects.includes(name))).toEqual([])
    expect(host.drains['compact.before']).toBeUndefined()
  })

  it.each(ALL)('%s claims no more than its data say', (_, host) => {
    const can: Readonly<Record<HostAbility, boolean>> = {
      'session start': host.drains['session.start'] !== undefined,
      prompt: host.drains['prompt.submit'] !== undefined,
      'after a tool': host.drains['tool.after'] !== undefined,
      stop: host.drains['turn.stop'] !== undefined,
      'stop gate': host.canBlockStop,
      'tool gate': host.canDenyTool,
      'idle wake': host.wake !== 'none',
    }
    for (const ability of HOST_ABILITIES) expect(host.support[ability] !== 'unsupported', ability).toBe(can[ability])
  })

  it.each(ALL)('%s is verified only where its events were recorded', (name, host) => {
    const isVerified = Object.values(host.support).includes('verified')
    expect(readEvents(name).origin).toBe(isVerified ? 'recorded' : 'documented')
  })

  it.each([
    [undefined, 8],
    ['', 8],
    ['many', 8],
    ['-1', 8],
    ['3', 3],
    ['0', null],
  ])('ends a turn by itself as its user has set: %j', (value, cap) => {
    expect(parseStopCap(HOSTS['claude-code'], value)).toBe(cap)
  })
})

const FIELDS =
  'agent_id agent_type conversation_id cwd cursor_version event event_id generation_id hook_event_name loop_count parent_conversation_id reason session_id source status stop_active stop_hook_active subagent timestamp tool tool_calls tool_name tool_use_id transcript_path workspace_roots'.split(
    ' ',
  )
const HOST_EVENTS = NAMES.flatMap((name) =>
  Object.values(readEvents(name).events).map((event) => String(event['hook_event_name'] ?? event['event'])),
)
const ODD = ['../../etc', 'a/b', '\0', '/\0', '/etc', 's1', '', '__proto__', 'constructor', 'x'.repeat(300), -1, 1e300]

const values = fc.oneof(fc.constantFrom<unknown>(...ODD), fc.jsonValue(), fc.array(fc.jsonValue(), { maxLength: 2 }))
const members = fc.dictionary(fc.constantFrom(...FIELDS), values, { maxKeys: 12 })
const named = fc
  .tuple(members, fc.constantFrom(...HOST_EVENTS))
  .map(([fields, event]) => ({ ...fields, hook_event_name: event, event }))

describe('any input', () => {
  it.each(ALL)('is understood by %s or left alone, and never names what it may not', (_, host) => {
    let understood = 0
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.jsonValue(), members, named), (input) => {
        const event = host.parse(input)
        if (event === undefined) return
        understood++
        if (event.sessionId !== null) expect(parseSessionId(event.sessionId)).toBe(event.sessionId)
        if (event.cwd !== null) expect(event.cwd).toMatch(/^\/[^\0]*$/)
        expect(HOOK_EVENTS).toContain(event.name)
        expect(JSON.stringify(event).length).toBeLessThan(10_000)
        expect(host.parse(structuredClone(input))).toEqual(event)
      }),
      { numRuns: 2_000 },
    )
    expect(understood).toBeGreaterThan(100)
  })

  it.each(ALL)('of 10 MB is understood by %s in no time', (_, host) => {
    const long = 'x'.repeat(10_000_000)
    const input = Object.fromEntries(FIELDS.map((field) => [field, long]))
    expect(host.parse(input)).toBeUndefined()
    const event = host.parse({
      session_id: long,
      cwd: `/${long}`,
      tool: long,
      tool_name: long,
      prompt: long,
      hook_event_name: 'Stop',
      event: 'turn.stop',
    })
    expect(event).toMatchObject({ sessionId: null, cwd: null, tool: null, firing: null })
  })
})

const text = fc.string({ unit: 'binary', maxLength: 40 })
const answers = fc.record(
  {
    context: text.map((t) => `<mail ${t}>`),
    block: text.map((t) => `<gate ${t}>`),
    notice: text.map((t) => `<note ${t}>`),
  },
  { requiredKeys: [] },
)

describe('any answer', () => {
  it.each(ALL)('is nothing or one JSON object for %s, with each text once or not at all', (name, host) => {
    const events = Object.values(readEvents(name).events).map((event) => host.parse(event) as HookEvent)
    fc.assert(
      fc.property(fc.constantFrom(...events), answers, (event, answer) => {
        const output = host.render(event, answer)
        const strings = output === '' ? [] : stringsIn(parseObject(output))
        const count = (part: string | undefined) => (part === undefined ? 0 : countIn(strings, part))
        expect(count(answer.context)).toBe(answer.context !== undefined && host.injects.includes(event.name) ? 1 : 0)
        expect(count(answer.notice)).toBe(answer.notice !== undefined && host.notifies.includes(event.name) ? 1 : 0)
        expect(count(answer.block)).toBe(answer.block !== undefined && canBlock(host, event) ? 1 : 0)
      }),
    )
  })
})

function canBlock(host: Host, event: HookEvent): boolean {
  if (host.name === 'generic') return true
  return (event.name === 'turn.stop' && host.canBlockStop) || (event.name === 'tool.before' && host.canDenyTool)
}

function parseObject(output: string): object {
  const value: unknown = JSON.parse(output)
  expect(value).toBeInstanceOf(Object)
  expect(Array.isArray(value)).toBe(false)
  return value as object
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

function countIn(strings: readonly string[], part: string): number {
  return strings.reduce((sum, string) => sum + string.split(part).length - 1, 0)
}

describe('docs/reference/hosts.md', () => {
  const page = readFileSync(new URL('../../../docs/reference/hosts.md', import.meta.url), 'utf8')
  const shown = (value: number | null | undefined) => String(value ?? '–')

  it('shows how well each ability is known', () => {
    const rows = HOST_ABILITIES.map((ability) => [ability, ...ALL.map(([, host]) => host.support[ability])])
    expect(tableAfter(page, 'What is supported')).toEqual([['', ...NAMES], ...rows])
  })

  it('shows where mail is shown', () => {
    const events = HOOK_EVENTS.filter((name) => ALL.some(([, host]) => host.drains[name] !== undefined))
    const rows = events.map((name) => [`\`${name}\``, ...ALL.map(([, host]) => shown(host.drains[name]))])
    expect(tableAfter(page, 'Where mail is shown')).toEqual([['', ...NAMES], ...rows])
  })

  it('shows the limits', () => {
    expect(tableAfter(page, 'Limits')).toEqual([
      ['', ...NAMES],
      ['characters of one answer', ...ALL.map(([, host]) => shown(host.maxCharacters))],
      ['tokens of one answer', ...ALL.map(([, host]) => shown(host.maxTokens))],
      ['continued stops until the host ends the turn', ...ALL.map(([, host]) => shown(host.stopCap))],
    ])
  })

  it('names each event by the host’s own word', () => {
    const [head = [], ...rows] = tableAfter(page, 'Events').map((row) => row.map((cell) => cell.replaceAll('`', '')))
    expect(rows.map(([ours]) => ours)).toEqual(HOOK_EVENTS.filter((name) => name !== 'other'))
    for (const [ours, ...words] of rows) {
      words.forEach((word, index) => {
        const event = findHost(head[index + 1] ?? '')?.parse({ hook_event_name: word, agent_type: 'reviewer' })
        expect([word, event?.name]).toEqual([word, word === '–' ? undefined : ours])
      })
    }
  })
})

/** The first table below a heading, its line of dashes left out. */
function tableAfter(page: string, heading: string): string[][] {
  const section = page.split(`\n## ${heading}\n`)[1] ?? ''
  const table = /(?:^\|.*\n)+/m.exec(section)?.[0] ?? ''
  const rows = table
    .trimEnd()
    .split('\n')
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  return rows.filter((_, index) => index !== 1)
}
