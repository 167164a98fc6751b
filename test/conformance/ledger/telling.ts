import { expect } from 'vitest'
import { type Hcs10Message, parseHcs10 } from '../../../src/model/ledger/hcs10.ts'
import type { SentMessage, SentMessages } from '../../../src/model/ledger/ledgers.ts'
import { type MessageData, parseMessageData } from '../../../src/model/ledger/message-data.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { configWith } from '../../helpers/config-with.ts'
import type { MakerOptions } from '../makers.ts'

/** The only message that was sent. */
export function only({ messages }: SentMessages): SentMessage {
  expect(messages).toHaveLength(1)
  return messages[0] as SentMessage
}

/** What stands on a topic, each entry as its text. */
export async function textsOn(postern: Postern, topic: string | null): Promise<string[]> {
  const { entries } = await postern.ledger.read({ topic: topic ?? '', limit: 1000 })
  return entries.map(({ text }) => text ?? expect.fail('it is not UTF-8'))
}

/** Reads an entry as the standard has it: `data` is text. */
export function hcs10Message(text: string | undefined): Hcs10Message {
  expect(JSON.parse(text ?? '')).toMatchObject({ p: 'hcs-10', op: 'message', data: expect.any(String) })
  const operation = parseHcs10(text ?? '')
  return operation?.op === 'message' ? operation : expect.fail('it is no message of HCS-10')
}

export function dataIn(text: string | undefined): MessageData {
  return parseMessageData(hcs10Message(text).data) ?? expect.fail('it carries no message')
}

export async function topicsOf(postern: Postern, agent: string): Promise<{ inbound: string; outbound: string }> {
  const { identity } = await postern.ledger.profile({ agent })
  return { inbound: identity.inboundTopicId, outbound: identity.outboundTopicId }
}

/** Every topic there is, from its beginning to its head. */
export async function expectAllVerified(postern: Postern): Promise<void> {
  const topics = await postern.ledger.topics({})
  expect(topics.length).toBeGreaterThan(0)
  for (const { id, sequence } of topics) {
    expect(await postern.ledger.verify({ topic: id })).toMatchObject({ entries: sequence, isDone: true, bad: null })
  }
}

/** As a configuration says it. */
export function ledgerConfig(ledger: Readonly<Record<string, unknown>>): Pick<MakerOptions, 'config'> {
  return { config: configWith({ ledger }) }
}
