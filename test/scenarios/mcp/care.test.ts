import { describe, expect, it } from 'vitest'
import { dataOf, type Era, type RawClient, textOf } from '../../helpers/mcp/raw-client.ts'
import { openScene } from '../../helpers/mcp/scene.ts'
import { verifies } from '../verifies.ts'

const LONG = 'long '.repeat(11_000)
const HOST_CHARACTERS = 25_000 * 3.5

async function cancel(client: RawClient, requestId: number): Promise<void> {
  const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }
  await client.write(`${JSON.stringify(message)}\n`)
}

describe('an answer', () => {
  for (const era of ['legacy', 'modern'] as const satisfies Era[]) {
    it(`that its client has given up is read by nobody, and its mail is shown again (${era})`, async () => {
      verifies('mcp.shown')
      const scene = await openScene()
      const quinn = await scene.raw('quinn', { era })
      const { id } = await scene.within(({ inbox }) => inbox.push({ to: ['quinn'], content: 'given-up' }))
      const answer = await quinn.call('inbox_check')
      expect(textOf(answer)).toContain('given-up')
      await cancel(quinn, Number(answer.id))
      await quinn.call('agent_list')
      const again = await quinn.call('inbox_check')
      expect(dataOf<{ messages: object[] }>(again).messages).toMatchObject([{ id, attempt: 2 }])
    })
  }

  it('is never longer than hosts take, and the message that was asked for is whole in it', async () => {
    verifies('mcp.talk')
    const scene = await openScene()
    const quinn = await scene.raw('quinn')
    const ids: string[] = []
    for (const word of ['one', 'two', 'three']) {
      const [replyTo] = ids
      const pushed = await scene.within(({ inbox }) =>
        inbox.push({ to: ['quinn'], content: `${LONG}${word}`, ...(replyTo !== undefined && { replyTo }) }),
      )
      ids.push(pushed.id)
    }
    for (const call of [
      quinn.call('message_read', { id: ids[0] }),
      quinn.call('message_search', { query: 'long' }),
      quinn.call('inbox_check', {}),
    ]) {
      const text = textOf(await call)
      expect(text.length).toBeLessThan(HOST_CHARACTERS)
    }
    expect(textOf(await quinn.call('message_read', { id: ids[0] }))).toContain(`${LONG}one`)
  })
})

describe('a key', () => {
  it("is its agent's own, and minds no order of fields", async () => {
    verifies('mcp.once')
    const scene = await openScene()
    const [quinn, mindy] = [await scene.raw('quinn'), await scene.raw('mindy')]
    const letter = { to_agent: 'justin', message_type: 'fyi', subject: 'Done.', dedup_key: 'done-1' }
    const sent = [await quinn.call('send_message', letter), await mindy.call('send_message', letter)]
    const ids = sent.map((answer) => dataOf<{ messages: { message_id: string }[] }>(answer).messages[0]?.message_id)
    expect(new Set(ids).size).toBe(2)
    const asked = { question: 'May I?', context: 'Now.', dedupKey: 'may-1' }
    const turned = { dedupKey: 'may-1', context: 'Now.', question: 'May I?' }
    const decisions = [await quinn.call('decision_create', asked), await quinn.call('decision_create', turned)]
    expect(new Set(decisions.map((answer) => dataOf<{ id: string }>(answer).id)).size).toBe(1)
  })
})
