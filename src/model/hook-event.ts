/** What happens in a host, in our words. `other` is anything that neither delivers nor holds: it is only noted. */
export const HOOK_EVENTS = [
  'session.start',
  'prompt.submit',
  'tool.before',
  'tool.after',
  'turn.stop',
  'subagent.start',
  'subagent.stop',
  'compact.before',
  'compact.after',
  'session.end',
  'other',
] as const
export type HookEventName = (typeof HOOK_EVENTS)[number]
