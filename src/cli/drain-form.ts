import type { Form } from './shell/command.ts'

/** How `inbox drain` is spelled: apart from what it does, because a look that finds nothing needs only this. */
export const DRAIN_FORM: Form = {
  path: 'inbox drain',
  summary: 'Show what waits for an agent, once.',
  options: [
    { name: 'agent', value: '<agent>', aliases: ['bead'], summary: 'whose inbox (default: your own)' },
    { name: 'session', value: '<id>', summary: 'the session that is shown the messages' },
    { name: 'limit', value: '<n>', summary: 'at most so many messages (default 20; critical ones always)' },
    { name: 'max-chars', value: '<n>', summary: 'at most so many characters of text (default 8000)' },
    { name: 'max-tokens', value: '<n>', summary: 'at most about so many tokens of text' },
    { name: 'max-priority', value: '<0–4>', summary: 'only this urgent or more' },
    { name: 'style', value: '<fence|lines>', summary: 'how messages are shown (default fence)' },
    { name: 'reconcile', summary: 'accepted for scripts; every drain asks the store' },
  ],
  examples: ['postern inbox drain --agent quinn', 'postern inbox drain --agent quinn --json'],
}
