import type { BusShelf } from '../../bus/bus-shelf.ts'
import type { PostEntry } from '../../model/bus/bus.ts'
import type { BusEntry, BusMeta, BusPlace } from '../../model/bus/entry.ts'
import { meaningOf } from '../../model/bus/meaning.ts'
import { placeName } from '../../model/bus/place.ts'
import type { Decision } from '../../model/decision.ts'
import { PosternError } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import type { Context } from '../context.ts'
import { describeOption } from '../decisions/close.ts'
import { createDecision, QUESTION_BYTES } from '../decisions/create.ts'
import { cancelDecision, requireDecision, respondDecision, TEXT_BYTES } from '../decisions/respond.ts'
import { type Draft, invalid } from './draft.ts'
import { cutToBytes } from './excerpt.ts'

/** The question that an entry answers, as far as people were asked it. */
export interface FoundQuestion {
  readonly question: Decision | undefined
  readonly warnings: readonly string[]
}

/** What an entry has done to a decision, before it is written itself. */
export interface Settled {
  readonly decisionId: string | null
  /** What the entry says of it. */
  readonly meta: BusMeta
  /** The body, where it is another than was given. */
  readonly body?: Uint8Array
  /** Undoes it where the entry cannot be written. */
  takeBack(): Promise<unknown>
}

const NOTHING: Settled = { decisionId: null, meta: {}, takeBack: async () => {} }
const UNKNOWN = 'The decision that the question belongs to is not known here: it was not answered.'

/** The decision of the first QUESTION, among the parents of an ANSWER, that has one. */
export async function findQuestion(
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
  try {
    const decision = await requireDecision(ctx.store.read, id)
    const isAskedHere = decision.context === contextOf(place) && decision.question === questionOf(body)
    return isAskedHere && isOffered(decision, meta?.['options']) ? decision : undefined
  } catch (error) {
    // It was asked in another store, or so long ago that it is not kept any more.
    if (error instanceof PosternError && error.code === 'DECISION_NOT_FOUND') return undefined
    throw error
  }
}

function isOffered({ options }: Decision, shown: Json | undefined): boolean {
  if (options.length === 0) return true
  if (typeof shown !== 'object' || shown === null || Array.isArray(shown)) return false
  const labels = new Map(Object.entries(shown))
  return labels.size === options.length && options.every(({ key, label }) => labels.get(key) === label)
}

/** Asks people, or answers what they were asked. */
export async function settle(
  ctx: Context,
  draft: Draft,
  { question, input }: { readonly question: Decision | undefined; readonly input: PostEntry },
): Promise<Settled> {
  if (input.ask !== undefined) return askPeople(ctx, draft, input)
  if (question) return answerQuestion(ctx, draft, question, input.select)
  if (input.select !== undefined) throw invalid('it chooses, but answers no question that people were asked here')
  return NOTHING
}

/** The decision is there before the entry, which names it. */
async function askPeople(ctx: Context, { place, text }: Draft, { ask = [], options }: PostEntry): Promise<Settled> {
  const { id } = await createDecision(ctx, {
    question: questionOf(text),
    context: contextOf(place),
    ask,
    ...(options !== undefined && { options }),
  })
  return {
    decisionId: id,
    meta: metaOfQuestion(id, options),
    // Why the entry could not be written is what its writer has to know.
    takeBack: () =>
      cancelDecision(ctx, { id, reason: 'its entry could not be written' }).catch((error: unknown) =>
        ctx.note('bus.question-left', { decisionId: id, error: String(error) }),
      ),
  }
}

function contextOf(place: BusPlace): string {
  return `Asked on the bus of ${placeName(place)}.`
}

function metaOfQuestion(id: string, options: PostEntry['options'] = []): BusMeta {
  const labels = options.map(({ key, label }) => [key, label])
  return { decision_id: id, ...(labels.length > 0 && { options: Object.fromEntries(labels) }) }
}

function metaOfAnswer(id: string, select: string | undefined): BusMeta {
  return { decision_id: id, ...(select !== undefined && { selected: select }) }
}

/** As long as any. */
const SOME_ID = `dec_${'0'.repeat(26)}`

/** What an entry is going to say of its decision, as far as its length goes. */
export function expectedMeta(question: Decision | undefined, { ask, options, select }: PostEntry): BusMeta {
  if (ask !== undefined) return metaOfQuestion(SOME_ID, options)
  return question ? metaOfAnswer(question.id, select) : {}
}

/** As much of a question as a decision holds; all of it stands on the bus. */
function questionOf(text: string): string {
  return cutToBytes(text, QUESTION_BYTES)
}

/**
 * People are heard before the entry is written, so that whoever comes too late writes nothing and is told. The same answer
 * by the same person once more only writes the entry, which may be missing.
 */
async function answerQuestion(
  ctx: Context,
  draft: Draft,
  question: Decision,
  select: string | undefined,
): Promise<Settled> {
  const { id } = question
  const text = draft.text.trim() === '' ? undefined : cutToBytes(draft.text, TEXT_BYTES)
  if (!isAnsweredSo(ctx, question, { select, text })) {
    await respondDecision(ctx, { id, ...(select !== undefined && { select }), ...(text !== undefined && { text }) })
  }
  const option = question.options.find(({ key }) => key === select)
  return {
    decisionId: id,
    meta: metaOfAnswer(id, select),
    ...(text === undefined && option && { body: new TextEncoder().encode(describeOption(option)) }),
    // The answer stands, and is repeated with the entry.
    takeBack: async () => {},
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
