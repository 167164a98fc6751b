/** A message as a reader was shown it. */
export interface Shown {
  readonly id: string
  /** A name that the writer put into the text. It follows the message before the message has an id. */
  readonly key: string
  readonly attempt: number
}

const KEY = /\bkey(?:-[a-z0-9]+)+\b/
const HEADER = /^├─ .*?\b(msg_[0-9A-Z]{26})\b(?:.*shown before: attempt (\d+))?/

interface Listed {
  readonly id: string
  readonly subject: string | null
  readonly content: string
  readonly attempt: number
}

/** The messages in an answer that is JSON. */
export function readListed(messages: readonly Listed[]): Shown[] {
  return messages.map(({ id, subject, content, attempt }) => ({ id, key: keyIn(`${subject} ${content}`), attempt }))
}

/** The messages in a text that was rendered for a model. */
export function readRendered(text: string): Shown[] {
  const entries = text.split(/\n(?=├─ )/)
  return entries.flatMap((entry) => {
    const [header, id = '', attempt = '1'] = HEADER.exec(entry) ?? []
    return header === undefined ? [] : [{ id, key: keyIn(entry), attempt: Number(attempt) }]
  })
}

/** A text without a key is its own key, so the checker reports it as a phantom. */
export function keyIn(text: string): string {
  return KEY.exec(text)?.[0] ?? text
}
