import { describe, expect, it, onTestFinished } from 'vitest'
import type { AgentKind } from '../../src/model/agent.ts'
import type { Caller } from '../../src/model/caller.ts'
import type { DeliveryState } from '../../src/model/delivery.ts'
import { type ErrorCode, EXIT, outcomeOf, PosternError } from '../../src/model/errors.ts'
import type { Drained, DrainInbox, Postern } from '../../src/model/postern.ts'
import { addEvidence, describeMessages, hasFailed } from '../helpers/evidence.ts'
import { needs } from '../helpers/needs.ts'
import { MAKERS, type Maker, type MakerOptions, type World } from './makers.ts'

export type { World } from './makers.ts'

/** What a suite gets: a way to state rules, and a way to open a world for the rule at hand. */
export interface Suite {
  rule(name: string, test: () => Promise<void>): void
  open(options?: RuleOptions): Promise<World>
}

export interface RuleOptions extends MakerOptions {
  /** Agents to register: a name is an AI, an object says more. */
  readonly agents?: readonly (string | { readonly id: string; readonly kind: AgentKind; readonly isOwner?: boolean })[]
  /** False where the rule damages the store on purpose. */
  readonly sound?: boolean
}

/**
 * States rules that every embodiment of `Postern` must keep. Whatever a rule has done, conservation is checked when it
 * ends: there is no rule under which a message may go missing.
 */
export function conformance(subject: string, state: (suite: Suite) => void, makers = MAKERS): void {
  for (const maker of makers) {
    describe(`${subject} on ${maker.name}`, needs(maker.missing), () => {
      state({
        rule(name, test) {
          if (!(name in maker.exceptions)) it(name, test)
        },
        open: (options = {}) => openForTest(maker, options),
      })
    })
  }
}

async function openForTest(
  maker: Maker,
  { agents = ['quinn'], sound = true, ...options }: RuleOptions,
): Promise<World> {
  const world = await maker.open(options)
  onTestFinished(async (finished) => {
    try {
      if (hasFailed(finished)) await addEvidence(finished, () => describeWorld(world))
      if (sound) expect(await world.audit()).toEqual([])
    } finally {
      await world.destroy({ isKept: hasFailed(finished) })
    }
  })
  for (const agent of agents) await world.postern.agents.add(typeof agent === 'string' ? { id: agent } : agent)
  return world
}

async function describeWorld({ location, postern }: World): Promise<string> {
  return `store: ${location}\nmessages:\n${await describeMessages(postern)}`
}

export async function expectConserved(postern: Postern): Promise<void> {
  const { checks } = await postern.upkeep.check()
  expect(checks.find(({ name }) => name === 'store.conservation')).toMatchObject({ ok: true })
}

/** A caller that has shown a credential. */
export function caller(id: string, kind: AgentKind = 'ai'): Caller {
  return { id, kind, verified: true, via: 'sdk' }
}

/** Where a record says that a caller was: over HTTP the address follows the door. */
export function placeOf({ hooks }: Pick<World, 'hooks'>): string {
  return hooks ? '' : ', 127.0.0.1'
}

/** Expects a refusal under this code, with words about what to do next. */
export async function refused(attempt: Promise<unknown>, code: ErrorCode): Promise<PosternError> {
  const outcome = await attempt.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  expect(outcome).toMatchObject({ error: { code: refusesForm(outcome, code) ? 'INPUT_INVALID' : code } })
  const error = (outcome as { readonly error: PosternError }).error
  expect(error).toBeInstanceOf(PosternError)
  expect(error.next).not.toBe('')
  return error
}

/** What has not even the form of an input never reaches a heart behind a server: it is refused as such before. */
function refusesForm(outcome: object, code: ErrorCode): boolean {
  const { error } = outcome as { readonly error?: unknown }
  return error instanceof PosternError && error.code === 'INPUT_INVALID' && outcomeOf(code).exit === EXIT.usage
}

/** Drains as a terminal does: what was written out whole is confirmed at once. Returns what was shown. */
export async function read(postern: Postern, input: string | DrainInbox): Promise<string[]> {
  const drained = await postern.inbox.drain(typeof input === 'string' ? { agent: input } : input)
  if (drained.offer) {
    await postern.inbox.confirm({ offerId: drained.offer.id, evidence: 'the terminal took it', printed: true })
  }
  return contents(drained)
}

/** Drains and prints, and leaves the offer open. */
export async function show(postern: Postern, input: DrainInbox): Promise<Drained & { readonly offerId: string }> {
  const drained = await postern.inbox.drain(input)
  const offerId = drained.offer?.id ?? expect.fail('nothing was offered')
  await postern.inbox.printed({ offerId })
  return { ...drained, offerId }
}

export function contents({ messages }: Pick<Drained, 'messages'>): string[] {
  return messages.map((message) => message.content)
}

export async function tell(postern: Postern, agent: string, content: string): Promise<string> {
  return (await postern.inbox.push({ to: [agent], content })).id
}

export async function stateOf(postern: Postern, id: string, agent?: string): Promise<DeliveryState | undefined> {
  const { deliveries } = await postern.inbox.trace({ id })
  return deliveries.find((delivery) => agent === undefined || delivery.agent === agent)?.state
}

export async function stepsOf(postern: Postern, id: string, agent?: string): Promise<string[]> {
  const { deliveries } = await postern.inbox.trace({ id })
  const delivery = deliveries.find((each) => agent === undefined || each.agent === agent)
  return delivery?.steps.map(({ step }) => step) ?? []
}

/** Lets the clock go on until whoever waits has given up. */
export async function asTimePasses<T>(advance: World['advance'], waiting: Promise<T>): Promise<T> {
  let isOver = false
  const end = () => {
    isOver = true
  }
  waiting.then(end, end)
  while (!isOver) {
    advance(1)
    await new Promise(setImmediate)
  }
  return waiting
}
