import { randomUUID } from 'node:crypto'

/** What the scripted model says next: words, calls of tools, or both. */
export interface Reply {
  readonly text?: string
  readonly calls?: readonly ToolCall[]
  /** How full the model claims its context to be. */
  readonly inputTokens?: number
}

export interface ToolCall {
  readonly name: string
  /** Under which the tools of one MCP server stand, where a vendor keeps that apart from their names. */
  readonly namespace?: string
  readonly input: Readonly<Record<string, unknown>>
}

export type Body = Readonly<Record<string, unknown>>

/** One server-sent event; the name is absent where the format has none. */
export interface StreamEvent {
  readonly name?: string
  readonly data: unknown
}

/** How one vendor's clients speak to their model. */
export interface Dialect {
  isAt(path: string): boolean
  /** The agent's own loop offers tools; titles, topic checks and the like do not, and use up no step of the script. */
  offersTools(body: Body): boolean
  /** The conversation as sent, without the descriptions of tools. */
  conversation(body: Body): unknown
  whole(body: Body, reply: Reply): unknown
  stream(body: Body, reply: Reply): readonly StreamEvent[]
  wantsStream(path: string, body: Body): boolean
}

const USUAL_TOKENS = 100
const OUTPUT_TOKENS = 10

const anthropic: Dialect = {
  isAt: (path) => path.endsWith('/v1/messages'),
  offersTools: (body) => isFilled(body['tools']),
  conversation: ({ system, messages }) => ({ system, messages }),
  wantsStream: (_path, body) => body['stream'] === true,
  whole: anthropicMessage,
  stream(body, reply) {
    const message = anthropicMessage(body, reply)
    const begun = { ...message, content: [], stop_reason: null }
    const blocks = message.content.flatMap((block, index) => {
      const isText = block.type === 'text'
      const started = isText ? { ...block, text: '' } : { ...block, input: {} }
      const delta = isText
        ? { type: 'text_delta', text: block.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
      return [
        named('content_block_start', { index, content_block: started }),
        named('content_block_delta', { index, delta }),
        named('content_block_stop', { index }),
      ]
    })
    const { stop_reason, stop_sequence, usage } = message
    return [
      named('message_start', { message: begun }),
      ...blocks,
      named('message_delta', {
        delta: { stop_reason, stop_sequence },
        usage: { output_tokens: usage.output_tokens },
      }),
      named('message_stop', {}),
    ]
  },
}

interface AnthropicBlock {
  readonly type: 'text' | 'tool_use'
  readonly text?: string
  readonly id?: string
  readonly name?: string
  readonly input?: unknown
}

function anthropicMessage({ model }: Body, { text, calls = [], inputTokens = USUAL_TOKENS }: Reply) {
  const content: AnthropicBlock[] = [
    ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
    ...calls.map(({ name, input }) => ({ type: 'tool_use' as const, id: newId('toolu_'), name, input })),
  ]
  const cached = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
  return {
    id: newId('msg_'),
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: inputTokens, output_tokens: OUTPUT_TOKENS, ...cached },
  }
}

const openai: Dialect = {
  isAt: (path) => path.endsWith('/responses'),
  offersTools: (body) => isFilled(body['tools']),
  conversation: ({ instructions, input }) => ({ instructions, input }),
  wantsStream: (_path, body) => body['stream'] === true,
  whole: openaiResponse,
  stream(body, reply) {
    const response = openaiResponse(body, reply)
    const items = response.output.flatMap((item, output_index) => {
      const begun = { ...item, status: 'in_progress', ...('content' in item && { content: [] }) }
      const delta = { item_id: item.id, output_index, content_index: 0, delta: reply.text }
      return [
        named('response.output_item.added', { output_index, item: begun }),
        ...('content' in item ? [named('response.output_text.delta', delta)] : []),
        named('response.output_item.done', { output_index, item }),
      ]
    })
    return [
      named('response.created', { response: { ...response, status: 'in_progress', output: [], usage: null } }),
      ...items,
      named('response.completed', { response }),
    ]
  },
}

function openaiResponse({ model }: Body, { text, calls = [], inputTokens = USUAL_TOKENS }: Reply) {
  const status = 'completed'
  const content = [{ type: 'output_text', text, annotations: [] }]
  const said = { type: 'message', id: newId('msg_'), role: 'assistant', status, content }
  const called = calls.map(({ name, namespace, input }) => ({
    type: 'function_call',
    id: newId('fc_'),
    call_id: newId('call_'),
    name,
    ...(namespace !== undefined && { namespace }),
    arguments: JSON.stringify(input),
    status,
  }))
  return {
    id: newId('resp_'),
    object: 'response',
    created_at: 0,
    status,
    model,
    output: [...(text === undefined ? [] : [said]), ...called],
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: OUTPUT_TOKENS,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: inputTokens + OUTPUT_TOKENS,
    },
  }
}

const google: Dialect = {
  isAt: (path) => /\/models\/[^:]+:(?:streamGenerateContent|generateContent)$/.test(path),
  offersTools: (body) =>
    Array.isArray(body['tools']) &&
    body['tools'].some((tool: { functionDeclarations?: unknown }) => isFilled(tool.functionDeclarations)),
  conversation: ({ systemInstruction, contents }) => ({ systemInstruction, contents }),
  wantsStream: (path) => path.endsWith(':streamGenerateContent'),
  whole: googleAnswer,
  stream: (body, reply) => [{ data: googleAnswer(body, reply) }],
}

function googleAnswer(_body: Body, { text, calls = [], inputTokens = USUAL_TOKENS }: Reply) {
  const parts = [
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map(({ name, input }) => ({ functionCall: { name, args: input } })),
  ]
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    usageMetadata: {
      promptTokenCount: inputTokens,
      candidatesTokenCount: OUTPUT_TOKENS,
      totalTokenCount: inputTokens + OUTPUT_TOKENS,
    },
  }
}

export const DIALECTS: readonly Dialect[] = [anthropic, openai, google]

/** Vendors' events repeat their name in the data. */
function named(type: string, data: object): StreamEvent {
  return { name: type, data: { type, ...data } }
}

function newId(prefix: string): string {
  return prefix + randomUUID().replaceAll('-', '').slice(0, 22)
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0
}
