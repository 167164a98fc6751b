import type { PostedNote, SentMessages } from '../../model/ledger/ledgers.ts'
import type { AgentStatus } from '../../model/postern.ts'
import type { EnteredSpace, Posted, PostPage } from '../../model/sources/spaces.ts'
import { token } from '../../render/provenance.ts'
import { quotePost } from '../../render/quoted.ts'
import { quote } from '../quote.ts'
import { counted, enumerated } from './sentences.ts'
import { type Handlers, operate, type ToolAnswer, type ToolCall, withoutKey } from './tool-call.ts'

/** What each of these tools does, by its name. */
export const TALK_HANDLERS: Handlers = {
  send_message: sendMessage,
  post_note: postNote,
  space_post: postInSpace,
  agent_list: listAgents,
  enter_space: enterSpace,
  read_messages: readSpace,
}

async function sendMessage(call: ToolCall): Promise<ToolAnswer> {
  const sent = await operate<SentMessages>(call, 'messages.send', withoutKey(call))
  const told = sent.messages.map(({ to_agent, message_id }) => `${token(to_agent)} (${token(message_id)})`)
  const held = sent.messages.filter((message) => message.held).length
  const notice = held === 0 ? '' : ` ${counted(held, 'message')} held until a person lets it go: you write too often.`
  return { structured: sent, text: `Sent to ${enumerated(told, 'nobody')}.${notice}` }
}

async function postNote(call: ToolCall): Promise<ToolAnswer> {
  const posted = await operate<PostedNote>(call, 'notes.post', withoutKey(call))
  const { notified, skipped } = posted
  const unknown = skipped.length === 0 ? '' : ` Not registered, so not told: ${enumerated(skipped.map(token), '')}.`
  return { structured: posted, text: `Noted; told ${enumerated(notified.map(token), 'nobody')}.${unknown}` }
}

async function postInSpace(call: ToolCall): Promise<ToolAnswer> {
  const { post, spaceId, recipients } = await operate<Posted>(call, 'spaces.post', withoutKey(call))
  const structured = { spaceId, messageId: post.messageId, seq: post.seq, recipients: recipients.length }
  return { structured, text: `Posted in ${token(spaceId)} for ${counted(recipients.length, 'member')}.` }
}

async function listAgents(call: ToolCall): Promise<ToolAnswer> {
  const agents = await operate<readonly AgentStatus[]>(call, 'agents.list', {})
  const shown = agents.map((agent) => ({ ...agent, liveness: agent.liveness ?? 'no session' }))
  return { structured: { agents: shown }, text: agents.map(({ id, kind }) => `${token(id)} (${kind})`).join(', ') }
}

async function enterSpace(call: ToolCall): Promise<ToolAnswer> {
  const { space, history } = await operate<EnteredSpace>(call, 'spaces.enter', call.input)
  const text = await quotePosts(call, space.id, history)
  const members = space.members.map(({ agent }) => agent)
  return { structured: { text, seq: history[0]?.seq ?? null, members }, text }
}

async function readSpace(call: ToolCall): Promise<ToolAnswer> {
  const { items, earlier } = await operate<PostPage>(call, 'spaces.history', call.input)
  const text = await quotePosts(call, String(call.input['id']), items)
  return { structured: { text, seq: earlier }, text }
}

async function quotePosts({ connection }: ToolCall, spaceId: string, posts: PostPage['items']): Promise<string> {
  if (posts.length === 0) return 'Nothing was said there.'
  return quote(connection, `space ${token(spaceId)}`, posts.map(quotePost))
}
