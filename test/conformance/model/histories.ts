import fc from 'fast-check'
import { expect } from 'vitest'
import type { Priority } from '../../../src/model/priority.ts'
import { advance, type Command, command, drain, list, onMessage, onOffer, pushMany } from './commands.ts'
import * as messages from './messages.ts'
import * as moves from './moves.ts'
import * as offers from './offers.ts'
import * as readAndSnooze from './read-and-snooze.ts'
import type { Model, Said } from './state.ts'

export const AGENTS = ['ann', 'bob', 'cleo'] as const
const LATECOMER = 'dora'
const KEYS = ['k1', 'k2'] as const

const agent = fc.constantFrom(...AGENTS, LATECOMER)
const priority = fc.constantFrom<Priority>(0, 1, 2, 2, 3, 4)
const pick = fc.nat({ max: 7 })
const ttlMs = fc.constantFrom(undefined, undefined, undefined, 5_000, 3_600_000)
let spoken = 0

/** Under a key the same is said again and again, now and then something else; without one everything is new. */
const said = (to: fc.Arbitrary<Said['to']>, from: fc.Arbitrary<string>): fc.Arbitrary<Said> =>
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        to,
        from,
        priority,
        ttlMs,
        content: fc.nat().map(() => `word ${++spoken}`),
        key: fc.constant(undefined),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        to,
        from,
        priority: fc.constant<Priority>(2),
        ttlMs,
        content: fc.constantFrom('same', 'same', 'same', 'other'),
        key: fc.constantFrom(...KEYS),
      }),
    },
  )

const recipients = fc.uniqueArray(agent, { minLength: 1, maxLength: 3 })
const direct = said(recipients, fc.constant('local'))
const drains = fc
  .record({
    agent,
    max: fc.constantFrom(undefined, 1, 2, 5),
    maxPriority: fc.constantFrom<Priority | undefined>(undefined, undefined, 0, 1, 2),
    hasSession: fc.constantFrom(true, true, false),
    isPrinted: fc.boolean(),
    via: fc.constantFrom('prompt.submit', 'session.start'),
  })
  .map(({ hasSession, ...rest }) => ({ ...rest, session: hasSession ? `ses-${rest.agent}` : undefined }))
const session = agent.map((id) => `ses-${id}`)
const DAY_MS = 86_400_000

const confirmations = fc.tuple(session, fc.constantFrom(0, 1)).map(([sessionId, later]) =>
  command(
    `confirm what ${sessionId} printed before ${later === 0 ? 'now' : 'a moment from now'}`,
    (model) => offers.confirmSession(model, sessionId, model.now + later),
    ({ postern }, model) =>
      postern.inbox.confirmSession({ sessionId, printedBefore: model.now + later, evidence: 'model' }),
    (given, wanted) => expect(given).toBe(wanted),
  ),
)

/** One of the last messages; 0, which there never is, where there is none. */
const picked = ({ counted }: Model, n: number) => (counted === 0 ? 0 : counted - (n % counted))

const ARBITRARIES: readonly fc.Arbitrary<Command>[] = [
  direct.map((one) => pushMany([one])),
  direct.map((one) => pushMany([one])),
  fc.array(direct, { minLength: 2, maxLength: 4 }).map(pushMany),
  said(fc.constant(undefined), fc.constantFrom('local', 'ann')).map((one) => pushMany([one])),
  drains.map(drain),
  drains.map(drain),
  drains.map(drain),
  pick.map((n) => onOffer('print', n, offers.print, (postern, offerId) => postern.inbox.printed({ offerId }))),
  fc.tuple(pick, fc.boolean()).map(([n, printed]) =>
    onOffer(
      printed ? 'print and confirm' : 'confirm',
      n,
      (model, offer) => offers.confirm(model, offer, printed),
      (postern, offerId) => postern.inbox.confirm({ offerId, evidence: 'model', printed }),
    ),
  ),
  pick.map((n) =>
    onOffer('release', n, offers.release, (postern, offerId) => postern.inbox.release({ offerId, reason: 'model' })),
  ),
  confirmations,
  confirmations,
  confirmations,
  fc.constant(list),
  session.map((id) =>
    command(
      `end ${id}`,
      (model) => offers.endSession(model, id),
      ({ postern }) => postern.sessions.end({ id }),
    ),
  ),
  fc.tuple(pick, agent).map(([n, by]) =>
    onMessage(
      `ack by ${by}`,
      n,
      (model, number) => moves.ack(model, number, by),
      (postern, id) => postern.inbox.ack({ agent: by, ids: [id] }),
    ),
  ),
  fc.tuple(pick, agent).map(([n, by]) =>
    onMessage(
      `read by ${by}`,
      n,
      (model, number) => readAndSnooze.read(model, number, by),
      (postern, id) => postern.inbox.read({ agent: by, ids: [id] }),
    ),
  ),
  fc.tuple(pick, agent, fc.constantFrom(null, 1, 5_000, 30_000, 3_600_000)).map(([n, by, ms]) =>
    command(
      `${ms === null ? 'wake' : `snooze for ${ms} ms`} by ${by}, message ${n}`,
      (model) => readAndSnooze.snooze(model, picked(model, n), by, ms),
      ({ postern, ids }, model) => {
        const untilAt = ms === null ? null : model.now + ms
        return postern.inbox.snooze({ agent: by, ids: [ids.get(picked(model, n)) ?? 'msg_none'], untilAt })
      },
    ),
  ),
  pick.map((n) =>
    onMessage(
      'retry',
      n,
      (model, number) => moves.moveAll(model, number, ['dead'], 'pending'),
      (postern, id) => postern.inbox.retryDead({ id }),
    ),
  ),
  pick.map((n) => onMessage('cancel', n, moves.cancel, (postern, id) => postern.inbox.cancel({ id }))),
  fc.constantFrom(1, 5_000, 30_000, 30_000, 600_000, 1_800_000, 31 * DAY_MS).map(advance),
  fc.constant(undefined).map(() =>
    command(
      'upkeep',
      moves.upkeep,
      ({ postern }) => postern.upkeep.run(),
      (given, wanted) => expect(given).toEqual(wanted),
    ),
  ),
  fc.boolean().map((withBroadcasts) =>
    command(
      `add ${LATECOMER}`,
      (model) => messages.addAgent(model, LATECOMER, withBroadcasts),
      ({ postern }) => postern.agents.add({ id: LATECOMER, withBroadcasts }),
    ),
  ),
  fc.constant('cleo').map((id) =>
    command(
      `remove ${id}`,
      (model) => messages.removeAgent(model, id),
      ({ postern }) => postern.agents.remove({ id }),
    ),
  ),
  fc.constant(undefined).map(() =>
    command(
      'reopen',
      () => ({ value: undefined }),
      async (real) => {
        await real.postern.close()
        real.postern = await real.reopen()
      },
    ),
  ),
]

/** Histories of what can be done to a Postern, of any length up to a number of commands. */
export function histories(maxCommands: number): fc.Arbitrary<Iterable<Command>> {
  // Bugs hide in long histories; without a size most would have ten commands.
  return fc.commands([...ARBITRARIES], { maxCommands, size: 'max' })
}
