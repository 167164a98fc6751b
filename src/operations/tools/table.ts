import { decisionCreate, decisionGet, gateList, gateResolve } from './asking.ts'
import { inboxAck, inboxCheck, messageRead, messageSearch, peekInbox } from './inbox.ts'
import { agentList, enterSpace, postNote, readMessages, sendMessage, spacePost } from './talk.ts'
import type { Tool } from './tool.ts'
import { busPost, busRead, deletePlans, getPlans, handoffLeave, planSet, setPlans } from './work.ts'

/** What every agent has, in the order in which it is listed. */
export const CORE_TOOLS: readonly Tool[] = [
  inboxCheck,
  inboxAck,
  messageRead,
  messageSearch,
  sendMessage,
  postNote,
  spacePost,
  agentList,
  decisionCreate,
  decisionGet,
  gateList,
  gateResolve,
  planSet,
  busPost,
  busRead,
  handoffLeave,
]

/** Further names of the seeds, for agents that were taught them. */
export const SEED_TOOLS: readonly Tool[] = [setPlans, getPlans, deletePlans, enterSpace, readMessages, peekInbox]

export const TOOL_SETS = { core: CORE_TOOLS, seeds: [...CORE_TOOLS, ...SEED_TOOLS] } as const satisfies Record<
  string,
  readonly Tool[]
>

export type ToolSet = keyof typeof TOOL_SETS
