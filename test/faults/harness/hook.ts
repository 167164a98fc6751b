import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { TIMEOUT_S } from '../../../src/hooks/install/targets.ts'
import type { HookFault } from '../../../src/host/hook-fault.ts'
import { readFaults } from '../../../src/host/hook-log.ts'
import type { InboxMessage } from '../../../src/model/delivery.ts'
import type { CreateGate } from '../../../src/model/gates.ts'
import type { Limits } from '../../../src/model/limits.ts'
import type { Postern, PushMessage } from '../../../src/model/postern.ts'
import { copyStore } from '../../helpers/store-template.ts'
import { temporaryFolder } from '../../helpers/temp.ts'
import { cliCommand, cliEnvironment, patientNode, type Ran, type RunOptions } from './cli.ts'
import { deliveriesIn, listEverything, makeHome, withStore } from './home.ts'

/** A host ends a hook that takes longer than this. The hook's own deadline is far below. */
export const HOST_TIMEOUT_MS = TIMEOUT_S * 1000

export interface Firing extends RunOptions {
  readonly host?: string
  /** Null: no agent is named. */
  readonly agent?: string | null
  readonly session?: string
  /** Further fields of the event. */
  readonly fields?: Readonly<Record<string, unknown>>
  /** Instead of an event. */
  readonly input?: string | Uint8Array
  /** The host never closes its end. */
  readonly isLeftOpen?: boolean
  /** True: the hook has its real deadline. Otherwise it has a minute, so it is never late on a busy machine. */
  readonly hasDeadline?: boolean
}

export interface Fired extends Ran {
  readonly ms: number
  /** What goes before the model, what holds, and what the person sees; empty where there is none. */
  readonly context: string
  readonly block: string
  readonly notice: string
}

/** A project and a home, with an agent `quinn` and a person `justin`. */
export interface Place {
  readonly home: string
  readonly project: string
}

export async function makePlace(
  config: {
    readonly limits?: Partial<Limits>
    readonly gates?: Readonly<Record<string, unknown>>
    readonly hooks?: readonly unknown[]
    readonly handoff?: Readonly<Record<string, unknown>>
  } = {},
): Promise<Place> {
  const folder = temporaryFolder()
  const home = makeHome(join(folder, 'home'))
  writeFileSync(join(home, 'config.json'), JSON.stringify(config))
  const project = join(folder, 'project')
  mkdirSync(join(project, '.git'), { recursive: true })
  await copyStore(home, addPeople)
  return { home, project }
}

async function addPeople({ agents }: Postern): Promise<void> {
  await agents.add({ id: 'quinn' })
  await agents.add({ id: 'robin' })
  await agents.add({ id: 'justin', kind: 'human' })
}

/** A copy of a place whose store nobody has open. */
export function copyPlace(place: Place): Place {
  const folder = temporaryFolder()
  cpSync(dirname(place.home), folder, { recursive: true })
  return { home: join(folder, 'home'), project: join(folder, 'project') }
}

/** Fires an event of Claude Code, or of another host, and waits for the answer. */
export async function fire(place: Place, event: string, firing: Firing = {}): Promise<Fired> {
  const { host = 'claude-code', agent = 'quinn', isLeftOpen = false, hasDeadline = false, node = [] } = firing
  const words = ['hook', '--host', host, ...(agent === null ? [] : ['--agent', agent])]
  const patience = hasDeadline ? [] : patientNode()
  const [command = '', ...rest] = cliCommand(words, { ...firing, node: [...patience, ...node] })
  const startedAt = performance.now()
  const child = spawn(command, rest, {
    cwd: place.project,
    env: cliEnvironment(place.home, firing.env),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.on('error', () => {})
  const input = firing.input ?? JSON.stringify(describeEvent(place, event, firing))
  if (isLeftOpen) child.stdin.write(input)
  else child.stdin.end(input)
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  const ms = performance.now() - startedAt
  return { code, signal, stdout, stderr, ms, ...readAnswer(stdout) }
}

export function describeEvent(place: Place, event: string, { host, session = 'ses-1', fields }: Firing) {
  if (host === 'generic') return { event, session_id: session, cwd: place.project, ...fields }
  if (host === 'cursor')
    return { hook_event_name: event, conversation_id: session, workspace_roots: [place.project], ...fields }
  return {
    hook_event_name: event,
    session_id: session,
    cwd: place.project,
    transcript_path: join(place.project, 'transcript.jsonl'),
    ...fields,
  }
}

export function readAnswer(stdout: string): Pick<Fired, 'context' | 'block' | 'notice'> {
  let answer: Record<string, unknown> = {}
  try {
    answer = JSON.parse(stdout)
  } catch {
    // A host cannot use half an answer either.
  }
  const specific = (answer['hookSpecificOutput'] ?? {}) as Record<string, unknown>
  const first = (...values: unknown[]) => String(values.find((value) => typeof value === 'string') ?? '')
  return {
    context: first(specific['additionalContext'], answer['context'], answer['followup_message']),
    block: first(specific['permissionDecisionReason'], answer['reason'], answer['block'], answer['agent_message']),
    notice: first(answer['systemMessage'], answer['notice']),
  }
}

/** Ids of the messages that an answer shows, in their order. */
export function idsIn({ context, block }: Pick<Fired, 'context' | 'block'>): string[] {
  return [...`${context}\n${block}`.matchAll(/^├─ .*?(msg_[0-9A-Z]{26}|spool-\w+)/gm)].map(([, id = '']) => id)
}

export async function push(place: Place, content: string, more: Partial<PushMessage> = {}): Promise<string> {
  return withStore(place.home, async ({ inbox }) => (await inbox.push({ to: ['quinn'], content, ...more })).id)
}

export async function deliveryOf(place: Place, id: string, agent = 'quinn'): Promise<InboxMessage | undefined> {
  return (await deliveriesIn(place.home)).find((each) => each.id === id && each.agent === agent)
}

/** What was written to people. */
export async function toldTo(place: Place, person = 'justin'): Promise<string[]> {
  return withStore(place.home, async (postern) =>
    (await listEverything(postern)).filter(({ agent }) => agent === person).map(({ content }) => content),
  )
}

/** What people were told of gates that were passed without leave. */
export async function passesTold(place: Place): Promise<string[]> {
  return (await toldTo(place)).filter((content) => content.includes('was not met'))
}

/** Opens the store for justin, at a terminal of his own. */
export function asJustin<T>({ home }: Place, call: (postern: Postern) => Promise<T>): Promise<T> {
  return withStore(home, (postern) => call(postern.as({ id: 'justin', kind: 'human', verified: false, via: 'cli' })))
}

/** A strict gate that only a person opens. */
export async function createGate({ home }: Place, more: Partial<CreateGate> = {}): Promise<string> {
  const gate = { agent: 'quinn', kind: 'human', reason: 'wait for justin', ...more } as const
  return withStore(home, async ({ gates }) => (await gates.create(gate)).id)
}

export async function stateOfGate({ home }: Place, id: string): Promise<string> {
  return withStore(home, async ({ gates }) => (await gates.show({ id })).gate.state)
}

export function faultsOf({ home }: Place): readonly HookFault[] {
  return readFaults(home, 100)
}
