import type { ErrorRow } from '../errors/error-row.ts'

/** Refusals of the bus. */
export const busErrors = () =>
  ({
    BUS_ID_INVALID: {
      kind: 'usage',
      text: 'The {field} {"id"} is not valid.',
      next: 'Use 1 to 128 letters, digits, ".", "_" or "-", beginning with a letter or a digit, without "..".',
    },
    BUS_UNNAMED: {
      kind: 'usage',
      text: 'It is not clear which bus is meant.',
      next: 'Name its project, and its task if there is one.',
    },
    BUS_NOT_FOUND: {
      kind: 'notFound',
      text: 'There is no bus {place}.',
      next: 'See which buses there are with "postern bus list"; the first post creates one.',
    },
    BUS_ENTRY_NOT_FOUND: {
      kind: 'notFound',
      text: 'The bus {place} has no entry {id}.',
      next: 'Read it from the start, or only its last entries.',
    },
    BUS_TYPE_INVALID: {
      kind: 'usage',
      text: 'The entry type {"type"} is not valid.',
      next: 'Use capital letters, such as FACT, QUESTION, ANSWER, USER, INFO, WARNING, ERROR, OBSERVATION or ISSUE.',
    },
    BUS_ENTRY_INVALID: {
      kind: 'usage',
      text: 'The entry is not valid: {reason}.',
      next: 'Nothing was written. Fix the entry.',
    },
    BUS_BODY_TOO_LARGE: {
      kind: 'usage',
      http: 413,
      text: 'The body has {bytes} bytes; at most {limit} are allowed.',
      next: 'Attach it as a file, and say in the body what it is.',
    },
    BUS_BUSY: {
      kind: 'unavailable',
      text: 'Other processes have kept {path} locked for {seconds} s.',
      next: 'Nothing was written. Retry; "lsof" names the process.',
    },
    BUS_UNUSABLE: {
      kind: 'broken',
      text: 'The bus {path} cannot be used: {reason}.',
      next: 'Nothing was written. Check the file.',
    },
    ATTACHMENT_REFUSED: {
      kind: 'usage',
      text: 'The attachment {path} is refused: {reason}.',
      next: 'Name a plain file below the folder of the task, without "..", or send its content.',
    },
  }) as const satisfies Record<string, ErrorRow>
