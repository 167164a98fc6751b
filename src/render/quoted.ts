import type { BusEntry } from '../model/bus/entry.ts'
import { trustWord } from '../model/caller.ts'
import type { Decision } from '../model/decision.ts'
import type { InboxMessage, ShownForm } from '../model/delivery.ts'
import type { Gate, GateStep } from '../model/gate.ts'
import type { Message } from '../model/message.ts'
import type { Plan } from '../model/sources/plan.ts'
import type { SpacePost } from '../model/sources/space.ts'
import { renderBusEntry } from './bus-entry.ts'
import { renderDecision } from './decision.ts'
import { renderEntry } from './entry.ts'
import { quoteLines } from './fence.ts'
import { renderGate } from './gate.ts'
import { BLOCK, neutralise } from './neutralise.ts'
import { renderPlan } from './plan.ts'
import { formatTime, token } from './provenance.ts'
import { type Quoted, TOOLS } from './quotation.ts'

/** Only the beginning of a message that waits. A headline reads no more of the words than it shows. */
export function quoteHeadline(message: InboxMessage, number: string): Quoted {
  return quoted([], () => renderEntry(message, 'headline', number, TOOLS))
}

/** A message that was found, read again or sent by the reader: nobody is being offered it. */
export function quoteMessage(message: Message, reader: string, number: string, form: ShownForm = 'whole'): Quoted {
  const asMet = { ...message, agent: reader, state: 'seen', attempt: 1, inboxSeq: 0 } as const
  if (form === 'headline') return quoteHeadline(asMet, number)
  const { content, quotes = [] } = message
  return quoted([content, ...quotes.map(({ text }) => text)], (begin) => {
    const passedOn = quotes.map((quote) => ({ ...quote, text: begin(quote.text) }))
    return renderEntry({ ...asMet, content: begin(content), quotes: passedOn }, 'whole', number, TOOLS)
  })
}

/** What was said in a space. */
export function quotePost(post: SpacePost): Quoted {
  return quoted([post.content], (begin) => renderPost({ ...post, content: begin(post.content) }))
}

function renderPost({ seq, messageId, from, content, createdAt }: SpacePost): string {
  const who = `${token(from.id)} (${token(from.kind)}, ${trustWord(from)})`
  const head = [`${seq}`, `from ${who}`, formatTime(createdAt), token(messageId)].join(' · ')
  return [`├─ ${head}`, ...quoteLines(neutralise(content, BLOCK))].join('\n')
}

export function quoteBusEntry(entry: BusEntry): Quoted {
  return quoted([entry.body], (begin) => renderBusEntry({ ...entry, body: begin(entry.body) }))
}

export function quoteGate(gate: Gate, steps: readonly GateStep[] = []): Quoted {
  const { reason, awaits } = gate
  return quoted([reason, awaits ?? '', ...steps.map(({ evidence }) => evidence)], (begin) =>
    renderGate(
      { ...gate, reason: begin(reason), awaits: awaits === null ? null : begin(awaits) },
      steps.map((step) => ({ ...step, evidence: begin(step.evidence) })),
    ),
  )
}

/** A question with its options is bounded, and short. */
export function quoteDecision(decision: Decision): Quoted {
  return quoted([], () => renderDecision(decision))
}

export function quotePlan(plan: Plan): Quoted {
  return quoted([plan.instruction], (begin) => renderPlan({ ...plan, instruction: begin(plan.instruction) }))
}

/** `render` is given what to begin each of the texts with. */
function quoted(texts: readonly string[], render: (begin: (text: string) => string) => string): Quoted {
  return {
    length: texts.reduce((sum, { length }) => sum + length, 0),
    render(characters = Number.POSITIVE_INFINITY) {
      const each = Math.ceil(characters / Math.max(1, texts.length))
      return render((text) => text.slice(0, each))
    },
  }
}
