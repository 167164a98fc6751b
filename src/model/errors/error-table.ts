import { lazy } from '../../kit/pure/lazy.ts'
import { type ErrorRow, EXIT } from './error-row.ts'
import { sourceErrors } from './source-errors.ts'

/**
 * Every way in which Postern refuses or fails, in one table. Doors translate from it and invent nothing. It is built with
 * the first error: most programs end without one.
 */
export const errorTable = lazy(
  () =>
    ({
      USAGE: { kind: 'usage', text: '{message}', next: '{next}' },
      AGENT_ID_INVALID: {
        kind: 'usage',
        text: 'The agent id {"id"} is not valid.',
        next: 'Use 1 to 64 lower-case letters, digits, "-" or "_", beginning and ending with a letter or digit, such as "quinn".',
      },
      AGENT_ID_RESERVED: {
        kind: 'usage',
        text: 'The agent id {id} is reserved.',
        next: 'Choose another name: this one has a meaning of its own.',
      },
      AGENT_NOT_FOUND: {
        kind: 'notFound',
        text: 'There is no agent {id}.{hint?}',
        next: 'See "postern agent list", or register it with "postern agent add {id}{restore?}".',
      },
      AGENT_EXISTS: {
        kind: 'conflict',
        text: 'The agent {id} is registered already, with other properties.',
        next: 'See its properties with "postern agent show {id}".',
      },
      AGENT_CONFUSABLE: {
        kind: 'conflict',
        text: 'The name {id} could be mistaken for {other}.',
        next: 'Choose a name that is not similar to another.',
      },
      AGENT_REMOVED: {
        kind: 'conflict',
        text: 'The agent {id} was removed, and its name stays reserved.',
        next: 'Choose another name, or restore the agent with "postern agent add {id} --restore".',
      },
      ADDRESS_UNSUPPORTED: {
        kind: 'usage',
        text: 'The address {address} cannot be one of several recipients.',
        next: 'Push to it alone.',
      },
      RECIPIENT_MISSING: {
        kind: 'usage',
        text: 'The message has no recipient.',
        next: 'Name an agent, or "all" for everybody.',
      },
      CONTENT_EMPTY: {
        kind: 'usage',
        text: 'The text is empty.',
        next: 'Write some text.',
      },
      CONTENT_TOO_LARGE: {
        kind: 'usage',
        http: 413,
        text: 'The {field} has {bytes} bytes; at most {limit} are allowed.',
        next: 'Shorten it.{hint?}',
      },
      TEXT_INVALID: {
        kind: 'usage',
        text: 'The {field} contains {what}.',
        next: 'Send visible, well-formed Unicode text without NUL characters.',
      },
      PRIORITY_INVALID: {
        kind: 'usage',
        text: 'The priority {"value"} is not valid.',
        next: 'Use 0 (critical), 1 (high), 2 (normal), 3 (low) or 4 (fyi).',
      },
      TYPE_INVALID: {
        kind: 'usage',
        text: 'The message type {"value"} is not valid.',
        next: 'Use lower-case words, digits, "_" and "-" joined by dots, such as "alert" or "task.blocked".',
      },
      DURATION_INVALID: {
        kind: 'usage',
        text: 'The duration {"value"} is not valid.',
        next: 'Write it like "30s", "10m", "1h30m" or "5 hours"; at most {limit}.',
      },
      FILE_UNREADABLE: {
        kind: 'usage',
        text: 'The file {path} cannot be read: {reason}.',
        next: 'Check its path and its permissions.',
      },
      VALUE_INVALID: { kind: 'usage', text: 'The {field} {"value"} is not valid.', next: '{next}' },
      DEDUP_CONFLICT: {
        kind: 'conflict',
        text: 'The dedup key {key} was used before for {agent} by a message with other content ({id}).',
        next: 'Repeat exactly the same message, or use another key.',
      },
      INBOX_FULL: {
        http: 429,
        exit: EXIT.failed,
        retryable: true,
        text: 'The inbox of {agent} is full: {limit} messages wait there.',
        next: 'Nothing was stored. Retry when messages have been read.',
      },
      MESSAGE_NOT_FOUND: {
        kind: 'notFound',
        text: 'There is no message {id}.',
        next: 'Look for it with "postern inbox list --all" or "postern inbox search <text>".',
      },
      DELIVERY_NOT_FOUND: {
        kind: 'notFound',
        text: 'The message {id} was not sent to {agent}.',
        next: 'See who it was sent to with "postern trace {id}".',
      },
      DELIVERY_STATE: {
        kind: 'conflict',
        text: 'The message {id} is {state} for {agent}, so it cannot be {wanted}.',
        next: 'See what happened to it with "postern trace {id}".',
      },
      OFFER_NOT_FOUND: {
        kind: 'notFound',
        text: 'There is no open offer {id}.',
        next: 'It was confirmed, released or has expired. Drain again.',
      },
      OFFER_UNPRINTED: {
        kind: 'conflict',
        text: 'The offer {id} was never written out, so it cannot be confirmed.',
        next: 'Release it, or let it lapse; its messages are then shown again.',
      },
      GATE_NOT_FOUND: {
        kind: 'notFound',
        text: 'There is no gate {id}.',
        next: 'See which gates there are with "postern gate list --all".',
      },
      GATE_CLOSED: {
        kind: 'conflict',
        text: 'The gate {id} was {state} by {by}.',
        next: 'Nothing is left to do; see why with "postern gate show {id}".',
      },
      DECISION_NOT_FOUND: {
        kind: 'notFound',
        text: 'There is no decision {id}.',
        next: 'See which there are with "postern decision list --all".',
      },
      DECISION_CLOSED: {
        kind: 'conflict',
        text: 'The decision {id} is {state} already{answer?}.',
        next: 'See its answer with "postern decision show {id}", or ask again.',
      },
      OPTION_UNKNOWN: {
        kind: 'usage',
        text: 'The decision {id} has no option {option}.',
        next: '{next}',
      },
      ...sourceErrors(),
      SESSION_NOT_FOUND: { kind: 'notFound', text: 'There is no session {id}.', next: 'Begin the session first.' },
      SESSION_CONFLICT: {
        kind: 'conflict',
        text: 'The session {id} belongs to {owner}.',
        next: 'Name that agent, or use the id of a session of your own.',
      },
      SESSION_INVALID: {
        kind: 'usage',
        text: 'The session id is not valid.',
        next: 'Use 1 to 200 printable ASCII characters without spaces or slashes.',
      },
      WAKE_RUNNING: {
        kind: 'conflict',
        text: 'The process {pid} already wakes {agent}.',
        next: 'Leave it running, or end it first.',
      },
      NOT_ALLOWED: { http: 403, exit: EXIT.notAuthenticated, retryable: false, text: '{message}', next: '{next}' },
      TIMED_OUT: { http: 408, exit: EXIT.timedOut, retryable: true, text: '{message}', next: '{next}' },
      SEARCH_NOT_READY: {
        kind: 'unavailable',
        text: 'The latest messages are still being indexed.',
        next: 'Retry in a few seconds.',
      },
      STORE_BUSY: {
        kind: 'unavailable',
        text: 'The store {path} stayed locked for {waited}.',
        next: 'Another process holds it. Retry; "postern doctor" says more if it lasts.',
      },
      STORE_FULL: {
        kind: 'unavailable',
        exit: EXIT.failed,
        http: 507,
        text: 'The disk that holds the store {path} is full; nothing was stored.',
        next: 'Free some space and retry.',
      },
      STORE_READ_ONLY: {
        kind: 'broken',
        text: 'The store {path} cannot be written: {reason}.',
        next: 'Check its permissions, and whether its file system is read-only.',
      },
      STORE_CORRUPT: {
        kind: 'broken',
        text: 'The store {path} is damaged or is not a Postern store.',
        next: 'Nothing was changed or deleted. Restore a backup with "postern restore <backup>", which keeps this store aside; "postern doctor" says more.',
      },
      STORE_NEWER: {
        kind: 'broken',
        text: 'The store {path} was written by a newer Postern (schema {found}; this one knows {known}).',
        next: 'Update Postern on this machine.',
      },
      STORE_NETWORK_FS: {
        kind: 'broken',
        text: 'The store {path} would be on a network file system ({fs}), where SQLite loses data.',
        next: 'Put it on a local disk, or use PostgreSQL.',
      },
      STORE_FOREIGN: {
        kind: 'broken',
        text: 'The store {path} belongs to another user.',
        next: 'Use a home of your own.',
      },
      STORE_UNAVAILABLE: {
        kind: 'unavailable',
        text: 'The store {path} cannot be used: {reason}.',
        next: '{hint?}Check that it exists and can be reached; "postern doctor" says more.',
      },
      STORE_IO: {
        kind: 'unavailable',
        exit: EXIT.failed,
        text: 'Reading or writing the store {path} failed: {reason}.',
        next: 'Nothing was acknowledged. Check the disk, then retry.',
      },
      STORE_URL_INVALID: {
        kind: 'usage',
        text: 'The store {store} is not one that Postern knows.',
        next: 'Use a path to a SQLite file or a URL that begins with "postgres://".',
      },
      CONFIG_INVALID: {
        kind: 'usage',
        text: 'The configuration {path} is not valid: {reason}.',
        next: 'Fix that line, or remove the file.',
      },
      SETTINGS_REFUSED: {
        kind: 'usage',
        text: 'The file {path} was not changed: {reason}.',
        next: 'Fix that by hand, keep what else it holds, and run the command again.',
      },
      OUTPUT_FAILED: {
        http: 500,
        exit: EXIT.failed,
        retryable: true,
        text: 'The output could not be written ({reason}).',
        next: '{next}',
      },
      BACKUP_EXISTS: {
        kind: 'conflict',
        text: 'The file {path} exists already.',
        next: 'Name a file that does not exist yet.',
      },
      BACKUP_FAILED: { kind: 'unavailable', exit: EXIT.failed, text: 'The backup failed: {reason}.', next: '{next}' },
      STORE_IN_USE: {
        kind: 'conflict',
        text: 'The store {path} is in use by another process, so it was not replaced.',
        next: 'Stop the server and every agent, watcher and command that uses it, and run this again.',
      },
      RESTORE_FAILED: {
        kind: 'unavailable',
        exit: EXIT.failed,
        text: 'The backup {path} was not restored: {reason}.',
        next: '{next}',
      },
      INTERNAL: {
        http: 500,
        exit: EXIT.failed,
        retryable: false,
        text: 'Something unexpected happened: {reason}.',
        next: 'Please report it; "postern doctor" tells whether the store is sound.',
      },
    }) as const satisfies Record<string, ErrorRow>,
)
