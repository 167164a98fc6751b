import type { ErrorRow } from '../errors/error-row.ts'

/** Refusals of the handoff between sessions. */
export const handoffErrors = () =>
  ({
    HANDOFF_TYPE_INVALID: {
      kind: 'usage',
      text: 'The item type {"value"} is not valid.',
      next: 'Use learning, caution, context or thread.',
    },
    HANDOFF_PRIORITY_INVALID: {
      kind: 'usage',
      text: 'The item priority {"value"} is not valid.',
      next: 'Use high, medium or low.',
    },
    HANDOFF_ITEM_INVALID: {
      kind: 'usage',
      text: 'The item is not valid: {reason}.',
      next: 'Nothing was left. Fix the item.',
    },
    HANDOFF_OUTSIDE: {
      kind: 'usage',
      text: '{folder} is not inside a project.',
      next: 'Run it in a git repository, or name its folder.',
    },
    HANDOFF_UNKNOWN_PROJECT: {
      kind: 'notFound',
      text: 'There is no handoff in {folder} on this machine that you may use.',
      next: 'Let a person run "postern handoff init" there. An agent also needs an open session in that project, begun by a hook on this machine.',
    },
    HANDOFF_ITEM_NOT_FOUND: {
      kind: 'notFound',
      text: 'There is no item {name}.',
      next: 'See which there are with "postern handoff list" and "postern handoff list --processed".',
    },
    HANDOFF_OFFER_NOT_FOUND: {
      kind: 'notFound',
      text: 'There is no open inheritance {id}.',
      next: 'It was confirmed or released already.',
    },
    HANDOFF_UNUSABLE: {
      kind: 'broken',
      text: 'The folder {path} cannot be used: {reason}.',
      next: 'Nothing was lost. Fix the folder and retry.',
    },
  }) as const satisfies Record<string, ErrorRow>
