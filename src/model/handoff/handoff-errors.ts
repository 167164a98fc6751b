import type { ErrorRow } from '../errors/error-row.ts'

/** Refusals of the handoff between sessions. */
export const handoffErrors = () =>
  ({
    HANDOFF_TYPE_INVALID: {
      kind: 'usage',
      text: 'The type {value} is not valid.',
      next: 'Use learning, caution, context or thread.',
    },
    HANDOFF_PRIORITY_INVALID: {
      kind: 'usage',
      text: 'The priority {value} is not valid.',
      next: 'Use high, medium or low.',
    },
    HANDOFF_ITEM_INVALID: {
      kind: 'usage',
      text: 'The item is not valid: {reason}.',
      next: 'Nothing was left. Mend it and leave it again.',
    },
    HANDOFF_OUTSIDE: {
      kind: 'usage',
      text: '{folder} is not inside a project.',
      next: 'Go to a git repository, or name one with --project.',
    },
    HANDOFF_UNKNOWN_PROJECT: {
      kind: 'notFound',
      text: 'No handoff was set up in {folder} on this machine.',
      next: 'Run "postern handoff init" there first.',
    },
    HANDOFF_ITEM_NOT_FOUND: {
      kind: 'notFound',
      text: 'There is no item {name}.',
      next: 'See which there are with "postern handoff list", and with "--processed" those that were inherited.',
    },
    HANDOFF_OFFER_NOT_FOUND: {
      kind: 'notFound',
      text: 'There is no open inheritance {id}.',
      next: 'It was confirmed or given back already. Nothing is lost: what was not shown waits in the inbox.',
    },
    HANDOFF_UNUSABLE: {
      kind: 'broken',
      text: 'The folder {path} cannot be used: {reason}.',
      next: 'Mend the folder and try again; nothing was lost.',
    },
  }) as const satisfies Record<string, ErrorRow>
