import { answerDecision, createDecision, getDecision, listGates, resolveGate } from './asking.ts'
import { ackMessages, checkInbox, peekInbox, readMessage, searchMessages } from './inbox.ts'
import { enterSpace, listAgents, postInSpace, postNote, readSpace, sendMessage } from './talk.ts'
import type { ToolAnswer, ToolCall } from './tool-call.ts'
import { deletePlans, getPlans, leaveItem, postEntry, readBus, setPlan, setPlans } from './work.ts'

/** What each tool does, by its name. */
export const HANDLERS: Readonly<Record<string, (call: ToolCall) => Promise<ToolAnswer>>> = {
  inbox_check: checkInbox,
  inbox_ack: ackMessages,
  message_read: readMessage,
  message_search: searchMessages,
  send_message: sendMessage,
  post_note: postNote,
  space_post: postInSpace,
  agent_list: listAgents,
  decision_create: async (call) => answerDecision(await createDecision(call)),
  decision_get: getDecision,
  gate_list: listGates,
  gate_resolve: resolveGate,
  plan_set: setPlan,
  bus_post: postEntry,
  bus_read: readBus,
  handoff_leave: leaveItem,
  set_plans: setPlans,
  get_plans: getPlans,
  delete_plans: deletePlans,
  enter_space: enterSpace,
  read_messages: readSpace,
  peek_inbox: peekInbox,
}
