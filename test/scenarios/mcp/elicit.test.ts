import type { CallToolResult, Client, ElicitRequestParams, ElicitResult } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import type { Decision } from '../../../src/model/decision.ts'
import { ENVELOPE, type RawClient, textOf } from '../../helpers/mcp/raw-client.ts'
import { beginHere, openScene, type Scene } from '../../helpers/mcp/scene.ts'
import { createSignal } from '../../helpers/signal.ts'
import { FULL } from '../../helpers/tier.ts'
import { verifies } from '../verifies.ts'

const QUESTION = {
  question: 'Which store?',
  context: 'It must be small.',
  options: [
    { key: 'a', label: 'Postgres', description: 'on the server' },
    { key: 'b', label: 'SQLite' },
  ],
  ask: ['justin', 'anna'],
}
const CAN_ASK = { elicitation: { form: {} } }
const ERAS = ['legacy', 'modern'] as const

interface Dialogue {
  readonly client: Client
  /** The forms that the person was shown. */
  readonly forms: ElicitRequestParams[]
  ask(input?: object): Promise<CallToolResult>
}

type Answer = (form: ElicitRequestParams) => ElicitResult | Promise<ElicitResult>

/** A host before which a person sits who answers like this. */
async function openDialogue(scene: Scene, era: (typeof ERAS)[number], answer: Answer): Promise<Dialogue> {
  const forms: ElicitRequestParams[] = []
  const client = await scene.client({
    era,
    args: ['--person', 'justin'],
    capabilities: CAN_ASK,
    prepare: (made) =>
      made.setRequestHandler('elicitation/create', async ({ params }) => {
        forms.push(params)
        return answer(params)
      }),
  })
  return { client, forms, ask: (input = QUESTION) => decide(client, input) }
}

function decide(client: Client, input: object, timeout = 30_000): Promise<CallToolResult> {
  return client.callTool({ name: 'decision_create', arguments: { ...input } }, { timeout })
}

const dataOf = ({ structuredContent }: CallToolResult) =>
  structuredContent as unknown as Decision & { readonly text: string }

async function expectOpen({ ask }: Scene, count = 1): Promise<Decision> {
  const { items } = await ask<{ items: Decision[] }>('decision', 'list', '--all')
  expect(items).toHaveLength(count)
  const [decision] = items
  expect(decision).toMatchObject({ state: 'open', answer: null })
  return decision!
}

async function expectAnswerable(scene: Scene, { id, gateId }: Decision): Promise<void> {
  expect(await scene.ask('gate', 'show', gateId)).toMatchObject({ state: 'open' })
  const respond = ['decision', 'respond', id, '--as', 'justin', '--select', 'a']
  expect(await scene.ask(...respond)).toMatchObject({ state: 'answered', answer: { by: 'justin', selected: 'a' } })
  expect(await scene.ask('gate', 'show', gateId)).toMatchObject({ state: 'resolved' })
}

describe.each(ERAS)('a person before a client of the %s revision', (era) => {
  /** The older revision repeats these in the full tier only. */
  const variation = era === 'modern' ? {} : FULL

  it('is shown the options by their titles, and the answer is theirs', async () => {
    verifies('mcp.elicitation')
    const scene = await openScene()
    const { client, forms, ask } = await openDialogue(scene, era, () => ({
      action: 'accept',
      content: { choice: 'b' },
    }))
    const decision = dataOf(await ask())
    expect(forms).toMatchObject([
      {
        message: 'Which store?\n\nIt must be small.',
        requestedSchema: {
          properties: {
            choice: {
              oneOf: [
                { const: 'a', title: 'Postgres: on the server' },
                { const: 'b', title: 'SQLite' },
              ],
            },
          },
          required: ['choice'],
        },
      },
    ])
    expect(decision).toMatchObject({
      state: 'answered',
      answer: { by: 'justin', trust: 'unverified', selected: 'b' },
    })
    expect(await scene.ask('gate', 'show', decision.gateId)).toMatchObject({ state: 'resolved' })
    const told = await client.callTool({ name: 'inbox_check', arguments: {} })
    expect(told.structuredContent).toMatchObject({ messages: [{ from: 'justin', trust: 'unverified' }] })
    expect(JSON.stringify(told.content)).toContain('from justin (human, unverified, via mcp)')
    const again = await client.callTool({ name: 'inbox_check', arguments: {} })
    expect(again.structuredContent).toMatchObject({ messages: [], remaining: 0 })
  })

  it('may answer in words where words are allowed', variation, async () => {
    verifies('mcp.elicitation')
    const scene = await openScene()
    const { forms, ask } = await openDialogue(scene, era, () => ({ action: 'accept', content: { words: 'Neither.' } }))
    const free = dataOf(await ask({ question: 'What now?', ask: ['justin'] }))
    expect(free).toMatchObject({ state: 'answered', answer: { by: 'justin', selected: null } })
    expect(free.text).toMatch(/^├ {2}answered by justin \(unverified\) · in words · \S+\n│ Neither\.$/m)
    const both = dataOf(await ask({ ...QUESTION, allowsText: true }))
    expect(both).toMatchObject({ state: 'answered', answer: { selected: null } })
    expect(
      forms.map((form) =>
        Object.keys((form as { requestedSchema: { properties: object } }).requestedSchema.properties),
      ),
    ).toEqual([['words'], ['choice', 'words']])
  })

  for (const action of ['decline', 'cancel'] as const) {
    it(
      `may ${action}: the question is still open, for every other way`,
      action === 'decline' ? {} : variation,
      async () => {
        verifies('mcp.elicitation')
        const scene = await openScene()
        const { ask } = await openDialogue(scene, era, () => ({ action }))
        expect(dataOf(await ask())).toMatchObject({ state: 'open', answer: null })
        await expectAnswerable(scene, await expectOpen(scene))
      },
    )
  }

  it('may answer what is no option, or nothing: the question is still open', variation, async () => {
    verifies('mcp.elicitation')
    const scene = await openScene()
    const answers: ElicitResult[] = [
      { action: 'accept', content: {} },
      { action: 'accept', content: { choice: '' } },
    ]
    const { ask } = await openDialogue(scene, era, () => answers.shift() ?? { action: 'cancel' })
    // A client of the official SDK looks at the answer itself, and then the call fails; either way nothing is decided.
    await ask({ ...QUESTION, dedupKey: 'k' }).catch(() => {})
    await ask({ ...QUESTION, dedupKey: 'k' }).catch(() => {})
    await expectAnswerable(scene, await expectOpen(scene))
  })

  it('may never answer: the client gives the call up, and the question is still open', variation, async () => {
    verifies('mcp.elicitation')
    const scene = await openScene()
    const shown = createSignal<string>()
    const { client } = await openDialogue(scene, era, ({ message }) => {
      shown.fire(message)
      return new Promise(() => {})
    })
    const asking = decide(client, QUESTION, 1_500).catch(() => 'given up')
    expect(await shown.fired).toBe('Which store?\n\nIt must be small.')
    // In the newer revision there is no call while a form is shown: it has been answered, and none follows.
    if (era === 'legacy') expect(await asking).toBe('given up')
    await expectAnswerable(scene, await expectOpen(scene))
    // The connection goes on as if nothing had been.
    const { structuredContent } = await client.callTool({ name: 'inbox_check', arguments: {} })
    expect(structuredContent).toMatchObject({ messages: [{ from: 'justin' }] })
  })

  it('may be too late: the answer of whoever was faster counts', async () => {
    verifies('mcp.elicitation')
    const scene = await openScene()
    const { ask } = await openDialogue(scene, era, async () => {
      const { id } = await expectOpen(scene)
      await scene.ask('decision', 'respond', id, '--as', 'anna', '--select', 'a')
      return { action: 'accept', content: { choice: 'b' } }
    })
    expect(dataOf(await ask())).toMatchObject({ state: 'answered', answer: { by: 'anna', selected: 'a' } })
    const { items } = await scene.ask<{ items: unknown[] }>('inbox', 'list', '--agent', 'quinn')
    expect(items).toHaveLength(1)
  })

  it('is asked once though the call is repeated under its key after the answer', variation, async () => {
    verifies('mcp.elicitation')
    const scene = await openScene()
    const { forms, ask } = await openDialogue(scene, era, () => ({ action: 'accept', content: { choice: 'b' } }))
    const first = dataOf(await ask({ ...QUESTION, dedupKey: 'k' }))
    const again = dataOf(await ask({ ...QUESTION, dedupKey: 'k' }))
    expect(again.id).toBe(first.id)
    const { items } = await scene.ask<{ items: Decision[] }>('decision', 'list', '--all')
    expect(items).toMatchObject([{ state: 'answered', answer: { selected: 'b' } }])
    expect(again).toMatchObject({ state: 'answered', answer: { by: 'justin', selected: 'b' } })
    expect(forms).toHaveLength(1)
  })

  it(
    'is not asked where they are not meant, where nobody said who they are, or where the client cannot',
    variation,
    async () => {
      verifies('mcp.elicitation')
      const scene = await openScene()
      const { forms, ask } = await openDialogue(scene, era, () => ({ action: 'accept', content: { choice: 'b' } }))
      expect(dataOf(await ask({ ...QUESTION, ask: ['anna'] }))).toMatchObject({ state: 'open', asked: ['anna'] })
      expect(forms).toEqual([])
      const prepare = (made: Client) =>
        made.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { choice: 'b' } }))
      const nameless = await scene.client({ era, args: [], capabilities: CAN_ASK, prepare })
      expect(dataOf(await decide(nameless, QUESTION))).toMatchObject({ state: 'open' })
      const unable = await scene.client({ era, args: ['--person', 'justin'] })
      expect(dataOf(await decide(unable, QUESTION))).toMatchObject({ state: 'open' })
      const unknown = await scene.client({ era, args: ['--person', 'nobody'], capabilities: CAN_ASK, prepare })
      expect(dataOf(await decide(unknown, QUESTION))).toMatchObject({ state: 'open' })
      const noPerson = await scene.client({ era, args: ['--person', 'mindy'], capabilities: CAN_ASK, prepare })
      expect(dataOf(await decide(noPerson, QUESTION))).toMatchObject({ state: 'open' })
    },
  )
})

describe('an answer that a client makes up', () => {
  /** Calls as if a form had been answered, for a question of its choice. */
  async function forge(client: RawClient, requestState: unknown, content: object = { choice: 'b' }) {
    const clientCapabilities = { 'io.modelcontextprotocol/clientCapabilities': CAN_ASK }
    return client.request('tools/call', {
      name: 'decision_create',
      arguments: QUESTION,
      requestState,
      inputResponses: { answer: { action: 'accept', content } },
      _meta: { ...ENVELOPE, ...clientCapabilities },
    })
  }

  it('says nothing for a question of another agent, or for one that there is not', async () => {
    verifies('mcp.elicitation')
    const scene = await openScene()
    const { id } = await scene.ask<Decision>(
      ...['decision', 'create', '--agent', 'mindy', '--ask', 'justin', '--option', 'b=SQLite', 'May mindy?'],
    )
    const quinn = await scene.raw('quinn', { era: 'modern', args: ['--person', 'justin'] })
    for (const state of [id, 'dec_none', '', '__proto__', 7, { id }]) {
      const answer = await forge(quinn, state)
      expect(textOf(answer), String(state)).not.toContain('May mindy?')
      expect(JSON.stringify(answer), String(state)).not.toContain('"selected":"b"')
    }
    expect(await scene.ask('decision', 'show', id)).toMatchObject({ state: 'open', answer: null })
    expect(quinn.strays).toEqual([])
  })

  it('says nothing for a question that is for somebody else to answer', async () => {
    verifies('mcp.elicitation')
    const scene = await openScene()
    const create = ['decision', 'create', '--agent', 'quinn', '--ask', 'anna', '--option', 'b=SQLite', 'May I, Anna?']
    const { id } = await scene.ask<Decision>(...create)
    const quinn = await scene.raw('quinn', { era: 'modern', args: ['--person', 'justin'] })
    await forge(quinn, id)
    expect(await scene.ask('decision', 'show', id)).toMatchObject({ state: 'open', answer: null })
  })

  it('says nothing where nobody sits there', async () => {
    verifies('mcp.elicitation')
    const scene = await openScene()
    const create = ['decision', 'create', '--agent', 'quinn', '--ask', 'justin', '--option', 'b=SQLite', 'May I?']
    const { id } = await scene.ask<Decision>(...create)
    const quinn = await scene.raw('quinn', { era: 'modern' })
    await forge(quinn, id)
    expect(await scene.ask('decision', 'show', id)).toMatchObject({ state: 'open', answer: null })
  })
})

describe('a process of a session of an AI', () => {
  it('asks the person where the host itself has started it, and nobody where a command of the agent has', async () => {
    verifies('mcp.elicitation', 'mcp.identity')
    const scene = await openScene()
    await beginHere(scene.within)
    const { forms, ask } = await openDialogue(scene, 'legacy', () => ({ action: 'accept', content: { choice: 'b' } }))
    expect(dataOf(await ask())).toMatchObject({ state: 'answered', answer: { by: 'justin' } })
    expect(forms).toHaveLength(1)

    const wrap = ['sh', '-c', '"$@"; exit $?', 'sh']
    const below = await scene.raw('quinn', { era: 'modern', args: ['--person', 'justin'], wrap })
    const meta = { ...ENVELOPE, 'io.modelcontextprotocol/clientCapabilities': CAN_ASK }
    const { result } = await below.request('tools/call', { name: 'decision_create', arguments: QUESTION, _meta: meta })
    expect(result.structuredContent).toMatchObject({ state: 'open' })
    const state = { requestState: result.structuredContent.id }
    const inputResponses = { answer: { action: 'accept', content: { choice: 'b' } } }
    const params = { name: 'decision_create', arguments: QUESTION, ...state, inputResponses, _meta: meta }
    const forged = await below.request('tools/call', params)
    // Nobody was asked there, so it is nobody's answer.
    expect(forged.result.structuredContent).toMatchObject({ state: 'open', answer: null })
    const shown = await scene.ask('decision', 'show', result.structuredContent.id)
    expect(shown).toMatchObject({ state: 'open', answer: null })
  })
})
