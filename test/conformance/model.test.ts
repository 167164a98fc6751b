import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Inbox, Postern } from '../../src/model/postern.ts'
import { needs } from '../helpers/needs.ts'
import { campaign, FULL } from '../helpers/tier.ts'
import { verifies } from '../scenarios/verifies.ts'
import { http, MAKERS, type Maker, sqlite } from './makers.ts'
import { expectSameDeliveries, type Real } from './model/commands.ts'
import { AGENTS, histories } from './model/histories.ts'
import { createModel } from './model/messages.ts'
import type { ModelLimits } from './model/state.ts'
import { expectConserved } from './suite.ts'

const RUNS = { quick: 20, full: 150, long: 3_000, most: 150 }
/** Behind a server is the heart that was tried already, and every command is a request. */
const RUNS_OVER_HTTP = { quick: 4, full: 30, long: 600, most: 150 }
const MAX_COMMANDS = 40

const LIMITS: ModelLimits = {
  attempts: 3,
  pendingPerAgent: 8,
  drainMessages: 4,
  unprintedOfferMs: 30_000,
  printedOfferMs: 1_800_000,
  retentionMs: 30 * 86_400_000,
}

/** A Postern with a bug in its inbox. */
type Bug = (inbox: Inbox) => Partial<Inbox>

const BUGS: Readonly<Record<string, Bug>> = {
  'confirms what was never printed': (inbox) => ({
    confirm: (input) => inbox.confirm({ ...input, printed: true }),
  }),
  'shows a message twice': (inbox) => ({
    async drain(input) {
      const drained = await inbox.drain(input)
      if (drained.offer) await inbox.release({ offerId: drained.offer.id, reason: 'bug' })
      return drained
    },
  }),
  'swaps the order': (inbox) => ({
    async drain(input) {
      const drained = await inbox.drain(input)
      return { ...drained, messages: drained.messages.toReversed() }
    },
  }),
  'loses a message on release': (inbox) => ({
    async release(input) {
      const offer = await inbox.release(input)
      const { items } = await inbox.list({ agent: offer.agent, limit: 1 })
      for (const { id, agent } of items) await inbox.cancel({ id, agent })
      return offer
    },
  }),
  'forgets the attempts': (inbox) => ({
    async drain(input) {
      const drained = await inbox.drain(input)
      return { ...drained, messages: drained.messages.map((message) => ({ ...message, attempt: 1 })) }
    },
  }),
  'puts nothing off': (inbox) => ({
    snooze: (input) => inbox.snooze({ ...input, untilAt: null }),
  }),
  'ignores dedup keys': (inbox) => ({
    push: ({ dedupKey: _, ...input }) => inbox.push(input),
  }),
  'confirms what was printed this very moment': (inbox) => ({
    confirmSession: (input) => inbox.confirmSession({ ...input, printedBefore: input.printedBefore + 1 }),
  }),
  'does not count what remains': (inbox) => ({
    drain: async (input) => ({ ...(await inbox.drain(input)), remaining: 0 }),
  }),
}

for (const maker of MAKERS) {
  describe(`the model on ${maker.name}`, needs(maker.missing), () => {
    const runs = maker === http ? RUNS_OVER_HTTP : RUNS
    campaign('the store is where the model is, whatever is done in whatever order', runs, async (numRuns) => {
      verifies('G7.model', 'G7.conservation', 'G4.exactly-once', 'G6.inbox-order')
      await fc.assert(property(maker), { numRuns })
    })
  })
}

/** The harness is the same for all, so it is tried on the quickest. */
describe('the harness', () => {
  for (const [name, bug] of Object.entries(BUGS)) {
    it(`finds a planted Postern that ${name}`, FULL, async () => {
      const { failed, counterexample } = await fc.check(property(sqlite, bug), {
        numRuns: 10 * RUNS.full,
        endOnFailure: true,
      })
      expect(failed).toBe(true)
      expect(counterexample).not.toBeNull()
    })
  }
})

function property(maker: Maker, bug: Bug = () => ({})): fc.IAsyncProperty<unknown> {
  return fc.asyncProperty(histories(MAX_COMMANDS), async (sequence) => {
    const world = await maker.open({ limits: LIMITS })
    try {
      for (const id of AGENTS) await world.postern.agents.add({ id })
      const real: Real = {
        world,
        postern: withBug(world.postern, bug),
        reopen: async () => withBug(await world.again(), bug),
        ids: new Map(),
        offerIds: new Map(),
      }
      const model = createModel(LIMITS, AGENTS, world.now())
      await fc.asyncModelRun(() => ({ model, real }), sequence)
      await expectSameDeliveries(model, real)
      await expectConserved(real.postern)
    } finally {
      await world.destroy()
    }
  })
}

function withBug(postern: Postern, bug: Bug): Postern {
  return {
    ...postern,
    as: (caller) => withBug(postern.as(caller), bug),
    inbox: { ...postern.inbox, ...bug(postern.inbox) },
  }
}
