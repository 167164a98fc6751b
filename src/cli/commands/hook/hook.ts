import { EXIT } from '../../../model/errors.ts'
import type { Command, Form } from '../../shell/command.ts'

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

/** Listed for its help only: hooks are answered before any other command is loaded. */
export const hook: Command = {
  ...HOOK_FORM,
  // Words that come this far have "help" as a value and ask for nothing; a hook never fails.
  run: async () => EXIT.ok,
}
