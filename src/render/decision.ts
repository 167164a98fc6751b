import { trustWord } from '../model/caller.ts'
import type { Decision, DecisionAnswer, DecisionOption } from '../model/decision.ts'
import { quoteLines } from './fence.ts'
import { BLOCK, neutralise } from './neutralise.ts'
import { authorOf, formatTime, token } from './provenance.ts'

/** A question: our own line with its author, then its words, quoted, then the answer with who gave it. */
export function renderDecision(decision: Decision): string {
  const { question, context, options, answer } = decision
  return [
    `├─ ${headline(decision).join(' · ')}`,
    ...quoteLines(neutralise(question, BLOCK)),
    ...(context === null ? [] : ['├  context', ...quoteLines(neutralise(context, BLOCK))]),
    ...(options.length === 0 ? [] : ['├  options', ...options.flatMap(optionLines)]),
    ...(answer === null ? [] : answerLines(answer)),
  ].join('\n')
}

function headline(decision: Decision): readonly string[] {
  const { id, state, agent, gateId, asked, createdBy, createdTrust, createdAt, dueAt, defaultOption } = decision
  return [
    token(id),
    state,
    `${token(agent)} asks ${asked.map(token).join(', ')}`,
    `asked by ${authorOf({ id: createdBy, ...createdTrust })}`,
    formatTime(createdAt),
    `gate ${token(gateId)}`,
    ...(dueAt === null ? [] : [`until ${formatTime(dueAt)}`]),
    ...(defaultOption === null ? [] : [`default ${token(defaultOption)}`]),
  ]
}

function optionLines({ key, label, description }: DecisionOption): readonly string[] {
  return quoteLines(neutralise(`${key}) ${label}${description ? `: ${description}` : ''}`, BLOCK))
}

function answerLines(answer: DecisionAnswer): readonly string[] {
  const { by, at, selected, text } = answer
  const choice = selected === null ? 'in words' : token(selected)
  const head = [`answered by ${token(by)} (${trustWord(answer)})`, choice, formatTime(at)]
  return [`├  ${head.join(' · ')}`, ...(text === null ? [] : quoteLines(neutralise(text, BLOCK)))]
}
