import type { Form } from '../../shell/command.ts'

/** How `hook` is spelled: apart from what it does, because help needs only this. */
export const HOOK_FORM: Form = {
  path: 'hook',
  summary: "Answer one event of a host's hooks; the host runs it, not you.",
  options: [
    { name: 'host', value: '<host>', summary: 'claude-code, codex, gemini, cursor or generic' },
    { name: 'agent', value: '<agent>', summary: 'whose session it is' },
    { name: 'rewake', summary: 'watch in the background, and end with 2 when mail comes for an idle session' },
    { name: 'session', value: '<id>', summary: 'with --rewake: the session, instead of that of the event' },
  ],
}
