import { ASKING_HANDLERS } from './asking.ts'
import { INBOX_HANDLERS } from './inbox.ts'
import { TALK_HANDLERS } from './talk.ts'
import type { Handlers } from './tool-call.ts'
import { WORK_HANDLERS } from './work.ts'

/** What each tool does, by its name. */
export const HANDLERS: Handlers = { ...INBOX_HANDLERS, ...TALK_HANDLERS, ...ASKING_HANDLERS, ...WORK_HANDLERS }
