import { setTimeout as delay } from 'node:timers/promises'
import type { HistoryEvent } from '../../../helpers/history.ts'
import { ask } from '../../../helpers/http-server.ts'

/** Where a writer pushes; it stays the same when the server behind it is another process. */
export interface Door {
  readonly url: string
  readonly token: string
}

export interface WriterOptions {
  readonly name: string
  readonly door: Door
  readonly count: number
  /** Whom the push of this number goes to. */
  readonly to: (number: number) => readonly string[]
  /** Resolves when the next push may be made. */
  readonly turn: () => Promise<void>
}

/** What a writer pushed to each agent, in its order. */
export type Sent = ReadonlyMap<string, readonly HistoryEvent[]>

/** Pushes one after the other, each for as long as nobody says that it is stored. */
export async function write(options: WriterOptions, agents: readonly string[]): Promise<Sent> {
  const { name, count, to, turn } = options
  const sent = new Map(agents.map((agent): [string, HistoryEvent[]] => [agent, []]))
  for (let number = 1; number <= count; number++) {
    const key = `${name}:${number}`
    const recipients = to(number)
    await turn()
    await pushUntilStored(options, key, recipients)
    for (const agent of recipients.includes('all') ? agents : recipients) {
      sent.get(agent)?.push({ kind: 'attempted', key, by: name }, { kind: 'acknowledged', key, by: name })
    }
  }
  return sent
}

async function pushUntilStored({ door }: WriterOptions, key: string, to: readonly string[]): Promise<void> {
  for (;;) {
    const body = { to, content: key, dedupKey: key }
    const answer = await ask(door.url, 'POST /api/v1/inbox', { token: door.token, body }).catch(() => undefined)
    if (answer?.status === 201) return
    if (answer && answer.status !== 503) throw new Error(`${key} was refused: ${answer.text}`)
    await delay(20)
  }
}
