/**
 * The suite asks for tools, prompts and resources that only its makers' own server has. Where one of ours answers the
 * same purpose it is asked instead; the answer is ours, unchanged. What has no counterpart stands in `not-applicable.ts`.
 */
const TOOLS: Readonly<Record<string, { readonly name: string; readonly arguments: object }>> = {
  test_simple_text: { name: 'agent_list', arguments: {} },
  test_logging_tool: { name: 'agent_list', arguments: {} },
  test_streaming_elicitation: { name: 'decision_create', arguments: { question: 'Go on?', allowsText: true } },
  test_error_handling: { name: 'message_read', arguments: { id: 'msg_nowhere' } },
  test_input_required_result_elicitation: {
    name: 'decision_create',
    arguments: { question: 'Which one?', options: [{ key: 'a', label: 'This' }], allowsText: true },
  },
}
const PROMPTS: Readonly<Record<string, string>> = { test_simple_prompt: 'postern-triage' }
const RESOURCES: Readonly<Record<string, string>> = {
  'test://static-text': 'postern://inbox/quinn',
  'test://watched-resource': 'postern://inbox/quinn',
  'test://template/123/data': 'postern://bus/shop-123',
}

interface Message {
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** The message with what stands in for what it asks for. */
export function standIn<T extends Message>(message: T): T {
  const { method, params = {} } = message
  const replace = (changed: object) => ({ ...message, params: { ...params, ...changed } })
  const name = String(params['name'])
  const uri = String(params['uri'])
  if (method === 'tools/call' && TOOLS[name]) return replace(TOOLS[name])
  if (method === 'prompts/get' && PROMPTS[name]) return replace({ name: PROMPTS[name] })
  if (method?.startsWith('resources/') && RESOURCES[uri]) return replace({ uri: RESOURCES[uri] })
  return message
}
