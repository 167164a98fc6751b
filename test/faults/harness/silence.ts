import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { HostName } from '../../../src/hooks/hosts/hosts.ts'
import { HOOK_TIMEOUTS } from '../../../src/hooks/timeouts.ts'
import { openPostern } from '../../../src/host/open/open.ts'
import type { InboxMessage } from '../../../src/model/delivery.ts'
import type { GateHook } from '../../../src/model/gate.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { TIER } from '../../helpers/tier.ts'
import { withStore } from './home.ts'
import { copyPlace, type Firing, fire, makePlace, type Place } from './hook.ts'
import { inTurn } from './in-turn.ts'
import type { Valve } from './valve.ts'

const ANSWER_TIME = fileURLToPath(new URL('./answer-time.cjs', import.meta.url))

/**
 * The hook has this long for what comes after its deadline: the answer without the store, and its own end. A sync of a
 * slow disk that has begun cannot be interrupted, and strace slows every call of the traced hook.
 */
const AFTERWARDS_MS = 2_000
export const IN_TIME_MS = HOOK_TIMEOUTS.answerMs + AFTERWARDS_MS

/** The words of a host for the events that matter here, and how an answer holds its agent. */
interface Dialect {
  readonly start: string
  readonly prompt: string
  readonly events: Readonly<Record<GateHook, string>>
  readonly toolField: 'tool' | 'tool_name'
  holds(hook: GateHook, answer: Answer): boolean
}

// biome-ignore lint/suspicious/noExplicitAny: answers of five hosts have many shapes
type Answer = Record<string, any>

const LIKE_CLAUDE: Dialect = {
  start: 'SessionStart',
  prompt: 'UserPromptSubmit',
  events: { stop: 'Stop', tool: 'PreToolUse' },
  toolField: 'tool_name',
  holds: (hook, answer) =>
    hook === 'stop'
      ? answer['decision'] === 'block' && says(answer['reason'])
      : answer['hookSpecificOutput']?.permissionDecision === 'deny' &&
        says(answer['hookSpecificOutput'].permissionDecisionReason),
}

/** As the manuals of the hosts have it, and not as `src/hooks/hosts` does. */
export const DIALECTS: Readonly<Record<HostName, Dialect>> = {
  'claude-code': LIKE_CLAUDE,
  codex: LIKE_CLAUDE,
  gemini: {
    start: 'SessionStart',
    prompt: 'BeforeAgent',
    events: { stop: 'AfterAgent', tool: 'BeforeTool' },
    toolField: 'tool_name',
    holds: (_, { decision, reason }) => decision === 'deny' && says(reason),
  },
  cursor: {
    start: 'sessionStart',
    prompt: 'beforeSubmitPrompt',
    events: { stop: 'stop', tool: 'preToolUse' },
    toolField: 'tool_name',
    holds: (hook, answer) =>
      hook === 'stop'
        ? says(answer['followup_message'])
        : answer['permission'] === 'deny' && says(answer['agent_message']),
  },
  generic: {
    start: 'session.start',
    prompt: 'prompt.submit',
    events: { stop: 'turn.stop', tool: 'tool.before' },
    toolField: 'tool',
    holds: (_, { block }) => says(block),
  },
}

/** Stands in the text of every gate that holds. */
export const REASON = 'wait for justin'
const TOOL = 'Bash'

function says(text: unknown): boolean {
  return typeof text === 'string' && text.includes(REASON)
}

/** Something that keeps a hook from its store, or makes the way to its answer long. */
export interface Trouble {
  readonly name: string
  /** The host ends every hook before it answers. */
  readonly isFatal?: true
  /** The gate is made after the last event of its session. */
  readonly isGateLate?: true
  /** Puts something into a store. It is done once for all cells of a run. */
  furnish?(place: Place): Promise<void>
  /** Moves a place to where the trouble can happen. */
  enter?(place: Place): Promise<TroubledPlace>
  begin?(place: TroubledPlace): Promise<Troubled>
}

export interface TroubledPlace extends Place {
  /** Opens the store, if it is not the one in the home. */
  open?<T>(call: (postern: Postern) => Promise<T>): Promise<T>
  /** What stands before the store, if it is on a server. */
  readonly valve?: Valve
}

export interface Troubled {
  /** How hooks are fired meanwhile. */
  readonly firing?: Firing
  end(): Promise<void>
}

/** One gate of one host in one kind of trouble. */
export interface Cell {
  readonly host: HostName
  readonly hook: GateHook
  readonly trouble: Trouble
}

const HOST_NAMES = Object.keys(DIALECTS) as readonly HostName[]
const HOOKS: readonly GateHook[] = ['stop', 'tool']

/**
 * Every trouble with every host and both gates. The first cells have each trouble once, beginning with the named host, and
 * the next have other hosts.
 */
export function cellsOf(troubles: readonly Trouble[], firstHost: HostName): readonly Cell[] {
  const first = HOST_NAMES.indexOf(firstHost)
  const rounds = HOOKS.flatMap((_, time) => HOST_NAMES.map((_, round) => ({ time, round })))
  return rounds.flatMap(({ time, round }) =>
    troubles.map((trouble, at) => {
      const host = HOST_NAMES[(first + at + round) % HOST_NAMES.length] as HostName
      const hook = HOOKS[(at + round + time) % HOOKS.length] as GateHook
      return { host, hook, trouble }
    }),
  )
}

export function describeCell({ host, hook, trouble }: Cell): string {
  return `${host}, ${hook} gate, ${trouble.name}`
}

/** Makes places for cells. Those of one trouble are copies of one place, because some take long to furnish. */
export function createPlaces(): (trouble: Trouble) => Promise<TroubledPlace> {
  const made = new Map<Trouble['furnish'], Promise<Place>>()
  const make = async ({ furnish }: Trouble) => {
    const place = await makePlace()
    await furnish?.(place)
    return place
  }
  return async (trouble) => {
    const template = made.get(trouble.furnish) ?? make(trouble)
    made.set(trouble.furnish, template)
    const place = copyPlace(await template)
    return trouble.enter ? trouble.enter(place) : place
  }
}

/** More stops than a hook without its store puts off; in the other tiers more than any host lets it. */
const STOPS = TIER === 'quick' ? 4 : 6
const TOOL_USES = 2

function timesOf({ hook, trouble }: Cell): number {
  if (trouble.isFatal) return 1
  return hook === 'stop' ? STOPS : TOOL_USES
}

/**
 * Fires the event of a strict gate again and again while there is trouble. The first answer holds. Every answer comes in
 * time. If one does not hold, the history of the gate says so and a person is told, at the latest once the trouble is
 * over. Returns what is wrong.
 */
export async function findSilence(cell: Cell, place: TroubledPlace, planted: Firing = {}): Promise<readonly string[]> {
  const { host, hook, trouble } = cell
  const { start, prompt } = DIALECTS[host]
  if (trouble.isGateLate) await fire(place, start, { host, fields: { source: 'startup' } })
  const gate = await createGate(place, hook)
  if (!trouble.isGateLate) await fire(place, prompt, { host })
  const { firing, end } = (await trouble.begin?.(place)) ?? { end: async () => {} }
  const faults: string[] = []
  let passes = 0
  for (let at = 1; at <= timesOf(cell); at++) {
    const answered = await fireTimed(place, cell, at, { ...firing, ...planted })
    if (!trouble.isFatal) faults.push(...answered.faults)
    if (answered.holds) continue
    passes++
    if (at === 1 && !trouble.isFatal) faults.push('the first answer does not hold')
  }
  await end()
  await fire(place, prompt, { host })
  if (trouble.isFatal && passes === 0) faults.push('the host ended no hook')
  if (passes > 0) faults.push(...(await findUnrecorded(place, gate)))
  return faults.map((fault) => `${describeCell(cell)}: ${fault}`)
}

/** Lets so many sessions of one agent stop at the same moment. All of them are held in time. Returns what is wrong. */
export async function findSilenceInCrowd(count: number): Promise<readonly string[]> {
  const place = await makePlace()
  await createGate(place, 'stop')
  const cells = Array.from({ length: count }, (_, at) => ({
    host: HOST_NAMES[at % HOST_NAMES.length] as HostName,
    hook: 'stop' as const,
    session: `ses-${at}`,
  }))
  await inTurn(cells, FEW, ({ host, session }) => fire(place, DIALECTS[host].prompt, { host, session }))
  const answers = await Promise.all(cells.map((cell) => fireTimed(place, cell, 1, { session: cell.session })))
  return answers.flatMap(({ holds, faults }, at) =>
    (holds ? faults : [...faults, 'is not held']).map((fault) => `${cells[at]?.host}, ${cells[at]?.session}: ${fault}`),
  )
}

const FEW = 3

function createGate(place: TroubledPlace, hook: GateHook): Promise<string> {
  const tool = hook === 'tool' ? { tool: TOOL } : {}
  const gate = { agent: 'quinn', kind: 'human', hook, reason: REASON, ...tool } as const
  const open = place.open ?? openAsUser
  return open(async ({ gates }) => (await gates.create(gate)).id)

  async function openAsUser<T>(call: (postern: Postern) => Promise<T>): Promise<T> {
    const postern = await openPostern({ home: place.home, upkeep: false })
    return call(postern).finally(() => postern.close())
  }
}

interface Answered {
  readonly holds: boolean
  readonly faults: readonly string[]
}

async function fireTimed(
  place: Place,
  { host, hook }: Pick<Cell, 'host' | 'hook'>,
  at: number,
  firing: Firing,
): Promise<Answered> {
  const { events, toolField, holds } = DIALECTS[host]
  const file = join(dirname(place.project), `answer-time-${firing.session ?? ''}-${at}`)
  const fired = await fire(place, events[hook], {
    hasDeadline: true,
    ...firing,
    host,
    ...(hook === 'tool' && { fields: { [toolField]: TOOL, tool_use_id: `toolu_${at}` } }),
    node: [...(firing.node ?? []), '--require', ANSWER_TIME],
    env: { ANSWER_TIME_FILE: file },
  })
  const ms = readMs(file) ?? fired.ms
  const isSound = fired.code === 0 && fired.stderr === ''
  return {
    holds: holds(hook, parseAnswer(fired.stdout)),
    faults: [
      ...(isSound ? [] : [`hook ${at} ended with ${fired.code ?? fired.signal}: ${fired.stderr}`]),
      ...(ms <= IN_TIME_MS ? [] : [`hook ${at} was late: ${ms} ms`]),
    ],
  }
}

function readMs(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

function parseAnswer(stdout: string): Answer {
  try {
    return JSON.parse(stdout)
  } catch {
    return {}
  }
}

/** What a pass lacks: an entry in the history of its gate, or a notice to a person. */
async function findUnrecorded(place: TroubledPlace, gate: string): Promise<readonly string[]> {
  return openPlace(place, async (postern) => {
    const { steps } = await postern.gates.show({ id: gate })
    const isRecorded = steps.some(({ step }) => step === 'bypassed' || step === 'breached')
    const { items } = await postern.inbox.list({ agent: 'justin', which: 'all', limit: 1_000 })
    const isTold = items.some((message) => tellsOf(message, gate))
    return [...(isRecorded ? [] : ['no pass is recorded']), ...(isTold ? [] : ['no person is told of a pass'])]
  })
}

function tellsOf({ content }: InboxMessage, gate: string): boolean {
  return content.includes(gate) && content.includes('was not met')
}

function openPlace<T>(place: TroubledPlace, call: (postern: Postern) => Promise<T>): Promise<T> {
  return place.open ? place.open(call) : withStore(place.home, call)
}
