import { parseAgentId } from '../../model/agent.ts'
import { agentOf, SYSTEM_CALLER, trustOf } from '../../model/caller.ts'
import { type Decision, type DecisionOption, describeOption } from '../../model/decision.ts'
import type { CreateDecision } from '../../model/decisions.ts'
import { PosternError } from '../../model/errors.ts'
import { parseText } from '../../model/text.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { creatorOf } from '../gates/close.ts'
import { afterCreation, draftGate, insertGate } from '../gates/create.ts'
import { askedKey } from '../gates/requests.ts'
import { pushNotice, responsiblePeople } from '../notices/notice.ts'
import { shorten } from '../notices/subject.ts'
import { requireAgent } from '../registry/find.ts'
import { ring } from '../rings/ring.ts'

export const QUESTION_BYTES = 8_000
const CONTEXT_BYTES = 32_000
const LABEL_BYTES = 500
const DESCRIPTION_BYTES = 2_000
const MAX_OPTIONS = 26

/** All of it together is told to people, and with the answer to the asker: it must fit into a message. */
const WHOLE_BYTES = 40_000
const MAX_ASKED = 50
const KEY = /^[a-z0-9][a-z0-9_-]{0,31}$/i

/**
 * Asks people a question. The asker is held from now on, and those who are asked have it in their inboxes. A caller that
 * names the decision elsewhere first chooses its id.
 */
export async function createDecision(
  ctx: Context,
  input: CreateDecision,
  id: string = ctx.newId('dec'),
): Promise<Decision> {
  const agent = parseAgentId(input.agent ?? requireAsker(ctx))
  const draft = draftDecision(ctx, agent, { ...input, id })
  const gate = draftGate(ctx, {
    agent,
    kind: 'decision',
    mode: input.mode ?? 'strict',
    reason: `Waiting for an answer to ${draft.id}: ${shorten(draft.question)}. Wait for it with: postern decision await ${draft.id}`,
    awaits: draft.id,
    ...(input.deadlineMs !== undefined && { timeoutMs: input.deadlineMs }),
  })
  const { decision, rings } = await ctx.store.transact(
    async (tx) => {
      await requireAgent(tx, agent)
      const asked = await requirePeople(tx, agent, draft.asked)
      const decision: Decision = { ...draft, gateId: gate.id, dueAt: gate.dueAt, asked }
      await tx.decisions.insert(decision)
      await insertGate(ctx, tx, gate)
      return { decision, rings: await ask(ctx, tx, decision) }
    },
    { answers: ['decisions.create'] },
  )
  ring(ctx, rings)
  await afterCreation(ctx, { ...gate, id: decision.gateId })
  return decision
}

function requireAsker(ctx: Context): string {
  const own = agentOf(ctx.caller)
  if (own !== undefined) return own
  throw new PosternError('USAGE', {
    message: 'It is not clear who asks.',
    next: 'Name the agent that asks.',
  })
}

function draftDecision(ctx: Context, agent: string, input: CreateDecision & Pick<Decision, 'id'>): Decision {
  const { id } = input
  const options = parseOptions(input.options ?? [])
  const question = parseText('question', input.question, QUESTION_BYTES)
  if (question.trim() === '') throw new PosternError('CONTENT_EMPTY')
  parseText('decision', JSON.stringify([question, input.context, options]), WHOLE_BYTES)
  return {
    id,
    agent,
    gateId: '',
    question,
    context: input.context === undefined ? null : parseText('context', input.context, CONTEXT_BYTES),
    options,
    defaultOption: parseDefault(id, options, input),
    dueAt: null,
    allowsText: options.length === 0 || (input.allowsText ?? false),
    asked: parseAsked(input.ask ?? []),
    state: 'open',
    createdBy: ctx.caller.id,
    createdTrust: trustOf(ctx.caller),
    createdAt: ctx.store.now(),
    answer: null,
  }
}

function parseOptions(options: NonNullable<CreateDecision['options']>): readonly DecisionOption[] {
  const keys = new Set(options.map(({ key }) => key))
  const odd = options.find(({ key, label }) => !KEY.test(key) || label.trim() === '')?.key
  if (odd !== undefined || keys.size < options.length || options.length > MAX_OPTIONS) {
    throw new PosternError('VALUE_INVALID', {
      field: 'list of options',
      value: odd ?? [...keys].join(', '),
      next: `Give at most ${MAX_OPTIONS} options, each with a short key of its own and a label, such as a and Postgres.`,
    })
  }
  return options.map(({ key, label, description }) => ({
    key,
    label: parseText('option', label, LABEL_BYTES),
    description: description === undefined ? null : parseText('description', description, DESCRIPTION_BYTES),
  }))
}

function parseDefault(
  id: string,
  options: readonly DecisionOption[],
  { defaultOption, deadlineMs }: CreateDecision,
): string | null {
  if (defaultOption === undefined) return null
  const key = requireOption(id, options, defaultOption)
  if (deadlineMs !== undefined) return key
  throw new PosternError('USAGE', {
    message: 'The decision has a default but no deadline, so the default would never be taken.',
    next: 'Give a deadline too, or leave the default out.',
  })
}

export function requireOption(id: string, options: readonly DecisionOption[], key: string): string {
  if (options.some((option) => option.key === key)) return key
  throw optionUnknown(id, options, key)
}

export function optionUnknown(id: string, options: readonly DecisionOption[], option: string): PosternError {
  const known = options.map(({ key }) => key).join(', ')
  const next = known === '' ? 'It has no options: only a text answers it.' : `Choose one of ${known}.`
  return new PosternError('OPTION_UNKNOWN', { id, option, options: known, next })
}

function parseAsked(ask: readonly string[]): readonly string[] {
  if (ask.length <= MAX_ASKED) return [...new Set(ask.map((id) => parseAgentId(id)))].sort()
  throw new PosternError('VALUE_INVALID', {
    field: 'number of people',
    value: ask.length,
    next: `Ask at most ${MAX_ASKED}.`,
  })
}

/** Only people are asked, and at least one: a question that nobody hears would hold its asker for ever. */
async function requirePeople(tx: Shelves, agent: string, named: readonly string[]): Promise<readonly string[]> {
  for (const id of named) {
    const { kind } = await requireAgent(tx, id)
    if (kind === 'human' && id !== agent) continue
    throw new PosternError('NOT_ALLOWED', {
      message: `${id} cannot be asked: only a person other than the asker can.`,
      next: 'Name a person; see who there is with "postern agent list".',
    })
  }
  const asked = named.length > 0 ? named : (await responsiblePeople(tx)).filter((id) => id !== agent)
  if (asked.length > 0) return asked
  throw new PosternError('USAGE', {
    message: 'There is nobody who could be asked.',
    next: 'Register a person with "postern agent add <id> --kind human".',
  })
}

/** Tells people that a question now goes to them, because the person asked before was removed. */
export function askInstead(ctx: Context, tx: Shelves, decision: Decision, former: string): Promise<readonly string[]> {
  const { id, agent, question, context, options, asked } = decision
  const from = creatorOf(decision)
  return pushNotice(ctx, tx, {
    from: SYSTEM_CALLER,
    type: 'decision',
    to: asked,
    dedupKey: askedKey(id),
    subject: `${agent} waits for your answer`,
    content: [`${agent} asked ${former}, who was removed, so the question is yours.`, ...howToAnswer(decision)].join(
      '\n',
    ),
    quotes: [
      { what: 'question', from, text: question },
      ...(context === null ? [] : [{ what: 'context', from, text: context }]),
      ...(options.length > 0 ? [{ what: 'options', from, text: options.map(describeOption).join('\n') }] : []),
    ],
    payload: { decisionId: id },
    ref: `decision:${id}`,
  })
}

function howToAnswer({ id, options, allowsText, dueAt, defaultOption }: Decision): readonly string[] {
  const answerWith = options.length > 0 ? '--select <option>' : '--text "…"'
  const orText = options.length > 0 && allowsText ? ' or --text "…"' : ''
  return [
    ...(dueAt === null
      ? []
      : [`Until ${new Date(dueAt).toISOString()}${defaultOption ? `, then ${defaultOption}` : ''}.`]),
    `Answer with: postern decision respond ${id} --as <you> ${answerWith}${orText}`,
  ]
}

function ask(ctx: Context, tx: Shelves, decision: Decision): Promise<readonly string[]> {
  const { id, agent, question, context, options, asked } = decision
  return pushNotice(ctx, tx, {
    from: ctx.caller,
    type: 'decision',
    to: asked,
    dedupKey: askedKey(id),
    subject: `${agent} asks: ${shorten(question)}`,
    content: [
      question,
      ...(context ? [context] : []),
      ...options.map((option) => `  ${describeOption(option)}`),
      ...howToAnswer(decision),
    ].join('\n'),
    payload: { decisionId: id, question, options: options.map(({ key, label }) => ({ key, label })) },
    ref: `decision:${id}`,
    cause: ctx.caller,
    asks: true,
  })
}
