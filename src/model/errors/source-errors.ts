import { busErrors } from '../bus/bus-errors.ts'
import { handoffErrors } from '../handoff/handoff-errors.ts'
import { ledgerErrors } from '../ledger/ledger-errors.ts'
import { wireErrors } from '../wires/wire-errors.ts'
import { type ErrorRow, EXIT } from './error-row.ts'

/**
 * Refusals of what wakes agents from outside, of the bus, of the handoff, of wires, of the ledger, and of the network.
 */
export const sourceErrors = () =>
  ({
    ...busErrors(),
    ...handoffErrors(),
    ...wireErrors(),
    ...ledgerErrors(),
    SPACE_ID_INVALID: {
      kind: 'usage',
      text: 'The space id {"id"} is not valid.',
      next: 'Use 1 to 64 lower-case letters, digits, "-" or "_", such as "alpha".',
    },
    SPACE_NOT_FOUND: {
      kind: 'notFound',
      text: 'There is no space {id}.',
      next: 'See "postern space list", or create it with "postern space create {id}".',
    },
    SPACE_EXISTS: {
      kind: 'conflict',
      text: 'The space {id} already exists with another name.',
      next: 'See it with "postern space show {id}".',
    },
    SPACE_CLOSED: {
      kind: 'conflict',
      text: 'The space {id} is closed.',
      next: 'Read it with "postern space history {id}", or create another.',
    },
    SPACE_NOT_MEMBER: {
      http: 403,
      exit: EXIT.notAuthenticated,
      retryable: false,
      text: '{agent} is not a member of the space {id}.',
      next: 'Join it first with "postern space join {id}".',
    },
    SPACE_NOT_ENTERED: {
      kind: 'usage',
      text: 'No space was named, and {agent} has not entered one.',
      next: 'Name the space, or enter one with "postern space enter <id>".',
    },
    PLAN_NOT_FOUND: {
      kind: 'notFound',
      text: 'There is no plan {id}.',
      next: 'See which there are with "postern plan list".',
    },
    PLAN_CHANGED: {
      http: 412,
      exit: EXIT.conflict,
      retryable: false,
      text: 'The plan {id} has changed in the meantime: it is at revision {revision}.',
      next: 'Read it again with "postern plan show {id}", then repeat the change.',
    },
    PLAN_TIME_INVALID: {
      kind: 'usage',
      text: 'The time of the plan is not valid: {reason}.',
      next: 'Give a duration ("5 hours"), a date (2026-02-20T10:00:00Z) or a cron expression ("0 9 * * 1").',
    },
    CRON_INVALID: {
      kind: 'usage',
      text: 'The cron expression {"cron"} is not valid: {reason}.',
      next: 'Write five fields: minute, hour, day of month, month, day of week, such as "0 9 * * 1".',
    },
    ZONE_UNKNOWN: {
      kind: 'usage',
      text: 'There is no time zone {zone}.',
      next: 'Use a name such as "Europe/Berlin" or "UTC".',
    },
    SERVICE_NAME_INVALID: {
      kind: 'usage',
      text: 'The service name {"name"} is not valid.',
      next: 'Use 1 to 64 lower-case letters, digits, "-" or "_", such as "jira-webhook".',
    },
    SERVICE_NOT_FOUND: {
      kind: 'notFound',
      text: 'There is no service {id}.',
      next: 'See which there are with "postern service list".',
    },
    SERVICE_EXISTS: {
      kind: 'conflict',
      text: '{name} is registered already.',
      next: 'Choose another name, or use "postern service rotate <service>" for a new key.',
    },
    SERVICE_OVERLAP: {
      kind: 'conflict',
      text: 'The service {name} already has two valid keys until {until}.',
      next: 'Rotate it after that, or revoke both keys now with "postern service rotate {id} --overlap 0s".',
    },
    TRIGGER_REFUSED: {
      http: 401,
      exit: EXIT.notAuthenticated,
      retryable: false,
      text: 'The event was not accepted.',
      next: 'Check the agent, the key or signature, and the clock of the sender.',
    },
    KEY_UNUSABLE: {
      kind: 'broken',
      text: 'The key file {path} cannot be used: {reason}.',
      next: 'Put the right one back, or move it aside and give every service a new key with "postern service rotate <service>".',
    },
    SCOPE_INVALID: {
      kind: 'usage',
      text: 'The scope {"scope"} is not valid.',
      next: 'Use admin, human:<id>, agent:<id> or service:<id>.',
    },
    TOKEN_NOT_FOUND: {
      kind: 'notFound',
      text: 'There is no token {id}.',
      next: 'See which there are with "postern token list".',
    },
    NOT_AUTHENTICATED: {
      http: 401,
      exit: EXIT.notAuthenticated,
      retryable: false,
      text: 'The request has no valid token.',
      next: 'Send "Authorization: Bearer <token>". "postern token create --scope <scope>" creates one; "postern ui" signs a browser in.',
    },
    ORIGIN_REFUSED: {
      http: 403,
      exit: EXIT.notAuthenticated,
      retryable: false,
      text: 'Requests for {what} are not answered here.',
      next: 'Use the address that "postern serve" printed.',
    },
    QUOTA_REACHED: {
      http: 429,
      exit: EXIT.failed,
      retryable: true,
      text: '{caller} has {count} {what}, as many as are allowed.',
      next: '{next}',
    },
    RATE_LIMITED: {
      http: 429,
      exit: EXIT.failed,
      retryable: true,
      text: 'There were too many requests.',
      next: 'Retry in {seconds} s.',
    },
    INPUT_INVALID: {
      kind: 'usage',
      text: 'The input is not valid: {reason}.',
      next: 'Fix the input and retry. See /openapi.json.',
    },
    REQUEST_INVALID: {
      http: 400,
      exit: EXIT.usage,
      retryable: false,
      text: 'The request is malformed: {reason}.',
      next: 'Send HTTP/1.1 with one Host header.',
    },
    BODY_INVALID: {
      http: 400,
      exit: EXIT.usage,
      retryable: false,
      text: 'The body of the request is not valid: {reason}.',
      next: 'Send a JSON object with "Content-Type: application/json".',
    },
    BODY_TOO_LARGE: {
      kind: 'usage',
      http: 413,
      text: 'The body of the request has more than {limit} bytes.',
      next: 'Send less at a time.',
    },
    MEDIA_TYPE_REFUSED: {
      kind: 'usage',
      http: 415,
      text: 'The content type {type} is not accepted here.',
      next: 'Send JSON with "Content-Type: application/json".',
    },
    ROUTE_NOT_FOUND: {
      kind: 'notFound',
      text: 'There is nothing at {path}.',
      next: 'See /openapi.json for the paths that there are.',
    },
    METHOD_REFUSED: {
      kind: 'usage',
      http: 405,
      text: '{path} does not answer to {method}.',
      next: 'Use {allowed}.',
    },
    ETAG_MISMATCH: {
      http: 412,
      exit: EXIT.conflict,
      retryable: false,
      text: 'It has changed since you read it.',
      next: 'Read it again, then repeat the change.',
    },
    IDEMPOTENCY_CONFLICT: {
      kind: 'usage',
      text: 'The Idempotency-Key {key} was used before for another request.',
      next: 'Repeat exactly that request, or use another key.',
    },
    IDEMPOTENCY_LOST: {
      kind: 'conflict',
      text: 'The request with the Idempotency-Key {key} was carried out, but its answer was lost.',
      next: 'Look at what it changed before you go on. Repeat it under another key only if the change is missing.',
    },
    IDEMPOTENCY_BUSY: {
      kind: 'conflict',
      retryable: true,
      text: 'A request with the Idempotency-Key {key} is still being answered.',
      next: 'Retry in a moment.',
    },
    CURSOR_UNKNOWN: {
      kind: 'notFound',
      text: 'The cursor {cursor} is not one of this store.',
      next: 'Start again without a cursor.',
    },
    SERVER_RUNNING: {
      kind: 'conflict',
      text: 'The process {pid} already serves this store, at {url}.',
      next: 'Use that server, or stop it first.',
    },
    SERVER_UNAVAILABLE: {
      kind: 'unavailable',
      text: 'The server {url} cannot be reached: {reason}.',
      next: 'Start it with "postern serve", or check its address.',
    },
    ADDRESS_IN_USE: {
      kind: 'unavailable',
      text: 'Another program uses the address {address}.',
      next: 'Choose another port: "postern serve --port 0" takes any free one.',
    },
  }) as const satisfies Record<string, ErrorRow>
