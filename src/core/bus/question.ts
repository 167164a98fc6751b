import type { BusShelf } from '../../bus/bus-shelf.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import type { PostEntry } from '../../model/bus/bus.ts'
import type { BusEntry, BusMeta, BusPlace } from '../../model/bus/entry.ts'
import { meaningOf } from '../../model/bus/meaning.ts'
import { placeName } from '../../model/bus/place.ts'
import type { Decision } from '../../model/decision.ts'
import { describeOption } from '../../model/decision.ts'
import { isStorable, type Json } from '../../model/json.ts'
import type { Context } from '../context.ts'
import { createDecision, QUESTION_BYTES } from '../decisions/create.ts'
import { cancelDecision, respondDecision, TEXT_BYTES } from '../decisions/respond.ts'
import { type Draft, invalid } from './draft.ts'
import { cutToBytes } from './excerpt.ts'

/** What an entry does to a decision. Nothing is done before `record` is called. */
export interface PreparedDecision {
  readonly id: string | null
  /** What the entry says of it. */
  readonly meta: BusMeta
  /** The body of the entry, if it is another than was given. */
  readonly body?: Uint8Array
  readonly warnings: readonly string[]
  /** Asks people, or answers what they were asked. */
  record(): Promise<void>
  /** Undoes what was recorded, because the entry could not be written. */
  takeBack(): Promise<void>
}

/** Most entries have to do with no decision. */
const NO_DECISION: PreparedDecision = {
  id: null,
  meta: {},
  warnings: [],
  record: async () => {},
  takeBack: async () => {},
}
const UNKNOWN = 'The decision that the question belongs to is not known here: it was not answered.'

/** Finds out what an entry asks or answers, and what it has to say of that. */
export async function prepareDecision(
  ctx: Context,
  shelf: Pick<BusShelf, 'find'>,
  { draft, input }: { readonly draft: Draft; readonly input: PostEntry },
): Promise<PreparedDecision> {
  if (input.ask !== undefined) return prepareQuestion(ctx, draft, input)
  const { question, warnings } = await findQuestion(ctx, shelf, draft)
  if (question) return prepareAnswer(ctx, draft, { question, select: input.select })
  if (input.select !== undefined) throw invalid('it chooses, but answers no question that people were asked here')
  return { ...NO_DECISION, warnings }
}

/** The question that an entry answers, as far as people were asked it. */
interface FoundQuestion {
  readonly question: Decision | undefined
  readonly warnings: readonly string[]
}

/** The decision of the first QUESTION, among the parents of an ANSWER, that has one. */
async function findQuestion(
  ctx: Context,
  shelf: Pick<BusShelf, 'find'>,
  { header, place }: Draft,
): Promise<FoundQuestion> {
  let isUnknown = false
  for (const { msg_id, kind = 'answers' } of header.type === 'ANSWER' ? (header.parents ?? []) : []) {
    const entry = kind === 'answers' ? await shelf.find(place, msg_id) : undefined
    const id = entry && meaningOf(entry.type) === 'QUESTION' ? entry.meta?.['decision_id'] : undefined
    if (!entry || typeof id !== 'string') continue
    const question = await decisionOf(ctx, entry, { id, place })
    if (question) return { question, warnings: [] }
    isUnknown = true
  }
  return { question: undefined, warnings: isUnknown ? [UNKNOWN] : [] }
}

/**
 * Anybody can write into a file. Only an entry that asks the very question of a decision, with the same options, and where
 * that was asked, is taken for it.
 */
async function decisionOf(
  ctx: Context,
  { body, meta }: BusEntry,
  { id, place }: { readonly id: string; readonly place: BusPlace },
): Promise<Decision | undefined> {
  // The question stands on the bus, so nobody learns of it here. Whether the caller may answer is decided later.
  const decision = isStorable(id) ? await ctx.store.read.decisions.get(id) : undefined
  // It was asked in another store, or so long ago that it is not kept any more.
  if (!decision) return undefined
  const isAskedHere = decision.context === contextOf(place) && decision.question === questionOf(body)
  return isAskedHere && isOffered(decision, meta?.['options']) ? decision : undefined
}

function isOffered({ options }: Decision, shown: Json | undefined): boolean {
  if (options.length === 0) return true
  if (typeof shown !== 'object' || shown === null || Array.isArray(shown)) return false
  const labels = new Map(Object.entries(shown))
  return labels.size === options.length && options.every(({ key, label }) => labels.get(key) === label)
}

/** The entry names the decision, which is recorded before it. So the id is chosen first. */
function prepareQuestion(ctx: Context, { place, text }: Draft, { ask = [], options }: PostEntry): PreparedDecision {
  const id = ctx.newId('dec')
  return {
    id,
    meta: metaOfQuestion(id, options),
    warnings: [],
    async record() {
      const question = { question: questionOf(text), context: contextOf(place), ask }
      await createDecision(ctx, { ...question, ...(options !== undefined && { options }) }, id)
    },
    async takeBack() {
      try {
        await cancelDecision(ctx, { id, reason: 'its entry could not be written' })
      } catch (error) {
        // The caller has to know why the entry could not be written, and not this.
        ctx.note('bus.question-left', { decisionId: id, error: reasonOf(error) })
      }
    },
  }
}

function contextOf(place: BusPlace): string {
  return `Asked on the bus of ${placeName(place)}.`
}

function metaOfQuestion(id: string, options: PostEntry['options'] = []): BusMeta {
  const labels = options.map(({ key, label }) => [key, label])
  return { decision_id: id, ...(labels.length > 0 && { options: Object.fromEntries(labels) }) }
}

/** As much of a question as a decision holds; all of it stands on the bus. */
function questionOf(text: string): string {
  return cutToBytes(text, QUESTION_BYTES)
}

/**
 * The answer is recorded before the entry is written, so that a caller that comes too late is refused and writes nothing.
 * The same answer by the same person once more only writes the entry, which may be missing.
 */
function prepareAnswer(
  ctx: Context,
  draft: Draft,
  { question, select }: { readonly question: Decision; readonly select: string | undefined },
): PreparedDecision {
  const { id, options } = question
  const text = draft.text.trim() === '' ? undefined : cutToBytes(draft.text, TEXT_BYTES)
  const option = options.find(({ key }) => key === select)
  return {
    ...NO_DECISION,
    id,
    meta: { decision_id: id, ...(select !== undefined && { selected: select }) },
    ...(text === undefined && option && { body: new TextEncoder().encode(describeOption(option)) }),
    async record() {
      if (isAnsweredSo(ctx, question, { select, text })) return
      await respondDecision(ctx, { id, ...(select !== undefined && { select }), ...(text !== undefined && { text }) })
    },
    // Nothing is taken back: the answer stands, and the caller repeats it with the entry.
  }
}

function isAnsweredSo(
  { caller }: Context,
  { answer }: Decision,
  {
    select = null,
    text = null,
  }: { readonly select?: string | null | undefined; readonly text?: string | null | undefined },
): boolean {
  return answer?.by === caller.id && answer.selected === select && answer.text === text
}
