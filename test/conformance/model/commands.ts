import type fc from 'fast-check'
import { expect } from 'vitest'
import { PosternError } from '../../../src/model/errors.ts'
import type { Drained, Postern, PushMessage } from '../../../src/model/postern.ts'
import type { World } from '../makers.ts'
import { caller } from '../suite.ts'
import * as messages from './messages.ts'
import * as offers from './offers.ts'
import { wakeDue } from './read-and-snooze.ts'
import type { Answer, Model, ModelOffer, Said } from './state.ts'

/** The Postern under test, with the names that tie its messages and offers to those of the model. */
export interface Real {
  readonly world: World
  postern: Postern
  reopen(): Promise<Postern>
  readonly ids: Map<number, string>
  readonly offerIds: Map<ModelOffer, string>
}

export type Command = fc.AsyncCommand<Model, Real>

/** A command says what to do to both and how to compare what they answer; afterwards the deliveries are compared. */
export function command<T>(
  name: string,
  inModel: (model: Model) => Answer<T> | undefined,
  inReal: (real: Real, model: Model) => Promise<unknown>,
  compare: (given: unknown, wanted: T, real: Real) => void = () => {},
): Command {
  return {
    check: () => true,
    toString: () => name,
    async run(model, real) {
      // The real one goes first, so that it can name what the model is about to change.
      const attempt = inReal(real, model).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      )
      const given = await attempt
      const wanted = inModel(model)
      if (wanted === undefined) return
      if ('refused' in wanted) expect([wanted.refused, ...(wanted.or ?? [])], name).toContain(codeOf(given))
      else {
        if ('error' in given) throw given.error
        compare(given.value, wanted.value, real)
      }
      await expectSameDeliveries(model, real)
    },
  }
}

function codeOf(outcome: { readonly value: unknown } | { readonly error: unknown }): string {
  if ('value' in outcome) return 'it was done'
  return outcome.error instanceof PosternError ? outcome.error.code : String(outcome.error)
}

/**
 * Order, states and attempts of everything that was ever sent to anybody and is still kept. A list shows what taking up and
 * waking would make of it, and changes nothing.
 */
export async function expectSameDeliveries(stored: Model, { postern, ids }: Real): Promise<void> {
  const model = structuredClone(stored)
  for (const [id, { isRemoved }] of model.agents) if (!isRemoved) messages.takeUp(model, id)
  wakeDue(model)
  const numbers = new Map([...ids].map(([number, id]) => [id, number]))
  const { items } = await postern.inbox.list({ which: 'all', limit: 1_000 })
  const given = items.map(({ agent, id, state, attempt }) => `${agent} ${numbers.get(id)} ${state} ${attempt}`)
  const wanted = model.deliveries
    .toSorted((a, b) => (a.agent < b.agent ? -1 : a.agent > b.agent ? 1 : a.seq - b.seq))
    .map(({ agent, message, state, attempt }) => `${agent} ${message.number} ${state} ${attempt}`)
  expect(given).toEqual(wanted)
}

export function pushMany(all: readonly Said[]): Command {
  const inputs = all.map(
    ({ to, content, priority, key, ttlMs }): PushMessage => ({
      to: to ?? ['all'],
      content,
      priority,
      ...(key !== undefined && { dedupKey: key }),
      ...(ttlMs !== undefined && { ttlMs }),
    }),
  )
  const from = all[0]?.from ?? 'local'
  return command(
    `push ${JSON.stringify(all)}`,
    (model) => messages.push(model, all),
    async ({ postern }) => {
      const sender = from === 'local' ? postern : postern.as(caller(from))
      const [first] = inputs
      return inputs.length === 1 && first
        ? [await sender.inbox.push(first)]
        : sender.inbox.pushMany({ messages: inputs })
    },
    (given, wanted, { ids }) => {
      const results = given as { id: string; duplicate: boolean }[]
      for (const [i, { number, duplicate }] of wanted.entries()) {
        if (!ids.has(number)) ids.set(number, results[i]?.id ?? '')
        expect(results[i]).toMatchObject({ id: ids.get(number), duplicate })
      }
    },
  )
}

/** Drains; where it says so, what was offered is printed at once. */
export function drain({ isPrinted, ...options }: offers.DrainOptions & { readonly isPrinted: boolean }): Command {
  return command(
    `drain ${isPrinted ? 'and print ' : ''}${JSON.stringify(options)}`,
    (model) => {
      const answer = offers.drain(model, options)
      if (isPrinted && 'value' in answer && answer.value.offer) offers.print(model, answer.value.offer)
      return answer
    },
    async ({ postern }) => {
      const drained = await postern.inbox.drain({
        agent: options.agent,
        via: options.via,
        ...(options.max !== undefined && { maxMessages: options.max }),
        ...(options.maxPriority !== undefined && { maxPriority: options.maxPriority }),
        ...(options.session !== undefined && { sessionId: options.session }),
      })
      if (isPrinted && drained.offer) await postern.inbox.printed({ offerId: drained.offer.id })
      return drained
    },
    (given, wanted, { ids, offerIds }) => {
      const { offer, messages: shown, remaining } = given as Drained
      expect({ shown: shown.map(({ id, attempt }) => ({ id, attempt })), remaining }).toEqual({
        shown: wanted.shown.map(({ number, attempt }) => ({ id: ids.get(number), attempt })),
        remaining: wanted.remaining,
      })
      if (wanted.offer) offerIds.set(wanted.offer, offer?.id ?? '')
      else expect(offer).toBeNull()
    },
  )
}

/** Commands on an offer or a message choose among those there are; where there is none, they do nothing. */
export function onOffer(
  name: string,
  pick: number,
  inModel: (model: Model, offer: ModelOffer) => Answer<undefined>,
  inReal: (postern: Postern, offerId: string) => Promise<unknown>,
): Command {
  const chosen = (model: Model) => model.offers[model.offers.length - 1 - (pick % Math.max(1, model.offers.length))]
  return command(
    `${name} offer ${pick}`,
    (model) => {
      const offer = chosen(model)
      return offer && inModel(model, offer)
    },
    async ({ postern, offerIds }, model) => {
      const offer = chosen(model)
      return offer && inReal(postern, offerIds.get(offer) ?? '')
    },
  )
}

export function onMessage<T>(
  name: string,
  pick: number,
  inModel: (model: Model, number: number) => Answer<T>,
  inReal: (postern: Postern, id: string) => Promise<unknown>,
): Command {
  const chosen = (model: Model) => (model.counted === 0 ? undefined : model.counted - (pick % model.counted))
  return command(
    `${name} message ${pick}`,
    (model) => {
      const number = chosen(model)
      return number === undefined ? undefined : inModel(model, number)
    },
    async ({ postern, ids }, model) => {
      const number = chosen(model)
      return number === undefined ? undefined : inReal(postern, ids.get(number) ?? '')
    },
  )
}

export const list: Command = {
  check: () => true,
  toString: () => 'list',
  run: expectSameDeliveries,
}

export function advance(ms: number): Command {
  return command(
    `advance ${ms} ms`,
    (model) => {
      model.now += ms
      return undefined
    },
    async ({ world }) => world.advance(ms),
  )
}
