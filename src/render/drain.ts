import type { Drained } from '../model/postern.ts'
import { renderEntry } from './entry.ts'
import { closingLines, type Door, type Frame, openingLines, requireNonce, SHELL, withoutNonce } from './fence.ts'

export interface RenderOptions {
  /** 8 to 32 random characters of a–z and 0–9, never used before. */
  readonly nonce: string
  /** A terminal is told that there is nothing; a model is told nothing. */
  readonly style?: 'model' | 'terminal'
  /** By what a reader gets at the rest; a shell by default. */
  readonly door?: Door
}

/** What a drain prints: the messages one after another inside a fence that no message can close. */
export function renderDrain(drained: Drained, { nonce, style = 'model', door = SHELL }: RenderOptions): string {
  requireNonce(nonce)
  const { messages, remaining } = drained
  const [first] = messages
  if (!first) return style === 'terminal' ? emptyText(remaining) : ''

  const frame: Frame = { agent: first.agent, messages: messages.length, remaining, nonce, door }
  const entries = messages.map((message, index) => {
    return withoutNonce(renderEntry(message, message.form, `${index + 1}/${messages.length}`, door), nonce)
  })
  return [...openingLines(frame), ...entries, ...closingLines(frame)].join('\n')
}

function emptyText(remaining: number): string {
  if (remaining === 0) return 'No messages.'
  return `${remaining} ${remaining === 1 ? 'message waits and does' : 'messages wait and do'} not fit here · list with: postern inbox list`
}
