import { busErrors } from '../bus/bus-errors.ts'
import { handoffErrors } from '../handoff/handoff-errors.ts'
import { ledgerErrors } from '../ledger/ledger-errors.ts'
import { wireErrors } from '../wires/wire-errors.ts'
import { type ErrorRow, EXIT } from './error-row.ts'

/** Refusals of what wakes agents from outside, of the bus, of the handoff, of wires, of the ledger, and of the network. */
export const sourceErrors = () =>
  ({
    ...busErrors(),
    ...handoffErrors(),
    ...wireErrors(),
    ...ledgerErrors(),
    SPACE_ID_INVALID: {
      kind: 'usage',
      text: 'The space id {id} is not valid.',
      next: 'Use 1 to 64 lower-case letters, digits, "-" or "_", such as "alpha".',
    },
    SPACE_NOT_FOUND: {
      kind: 'notFound',
      text: 'There is no space {id}.',
      next: 'See which there are with "postern space list", or make it with "postern space create {id}".',
    },
    SPACE_EXISTS: {
      kind: 'conflict',
      text: 'The space {id} exists already, with another name.',
      next: 'Look at it with "postern space show {id}".',
    },
    SPACE_CLOSED: {
      kind: 'conflict',
      text: 'The space {id} is closed.',
      next: 'Read it with "postern space history {id}", or make another.',
    },
    SPACE_NOT_MEMBER: {
      http: 403,
      exit: EXIT.notAuthenticated,
      retryable: false,
      text: '{agent} is no member of the space {id}.',
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
      text: 'The plan {id} was changed meanwhile: it is at revision {revision}.',
      next: 'Look at it again with "postern plan show {id}", then repeat the change.',
    },
    PLAN_TIME_INVALID: {
      kind: 'usage',
      text: 'The time of the plan is not valid: {reason}.',
      next: 'Name one of a duration ("5 hours"), a date (2026-02-20T10:00:00Z) or a cron expression ("0 9 * * 1").',
    },
    CRON_INVALID: {
      kind: 'usage',
      text: 'The cron expression {cron} is not valid: {reason}.',
      next: 'Write five fields: minute, hour, day of month, month, day of week, such as "0 9 * * 1".',
    },
    ZONE_UNKNOWN: {
      kind: 'usage',
      text: 'There is no time zone {zone}.',
      next: 'Use a name such as "Europe/Berlin" or "UTC".',
    },
    SERVICE_NAME_INVALID: {
      kind: 'usage',
      text: 'The service name {name} is not valid.',
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
      next: 'Give the service another name, or its key anew with "postern service rotate".',
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
      next: 'Put the right one back, or move it aside and give every service a new key with "postern service rotate".',
    },
    SCOPE_INVALID: {
      kind: 'usage',
      text: 'The scope {scope} is not valid.',
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
      next: 'Send "Authorization: Bearer <token>"; "postern token create" makes one. A browser is let in by "postern ui".',
    },
    ORIGIN_REFUSED: {
      http: 403,
      exit: EXIT.notAuthenticated,
      retryable: false,
      text: 'Requests for {what} are not answered here.',
      next: 'Use the address that "postern serve" printed.',
    },
    RATE_LIMITED: {
      http: 429,
      exit: EXIT.failed,
      retryable: true,
      text: 'There were too many requests.',
      next: 'Try again in {seconds} s.',
    },
    INPUT_INVALID: {
      kind: 'usage',
      text: 'The input is not valid: {reason}.',
      next: 'Mend it and repeat; see /openapi.json.',
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
      next: 'Send less at once.',
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
      next: 'See /openapi.json for what there is.',
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
      text: 'It was changed since you looked at it.',
      next: 'Look at it again, then repeat the change.',
    },
    IDEMPOTENCY_CONFLICT: {
      kind: 'usage',
      text: 'The key {key} was used before for another request.',
      next: 'Repeat the very same request, or use another key.',
    },
    IDEMPOTENCY_BUSY: {
      kind: 'conflict',
      retryable: true,
      text: 'A request with the key {key} is being answered.',
      next: 'Repeat it in a moment.',
    },
    CURSOR_UNKNOWN: {
      kind: 'notFound',
      text: 'The cursor {cursor} is not one of this store.',
      next: 'Begin anew without a cursor.',
    },
    SERVER_RUNNING: {
      kind: 'conflict',
      text: 'The process {pid} serves this store already, at {url}.',
      next: 'Use that one, or end it first.',
    },
    SERVER_UNAVAILABLE: {
      kind: 'unavailable',
      text: 'The server {url} cannot be reached: {reason}.',
      next: 'Start it with "postern serve", or check its address.',
    },
    ADDRESS_IN_USE: {
      kind: 'unavailable',
      text: 'The address {address} is in use by another program.',
      next: 'Choose another port with "--port", or 0 for any.',
    },
  }) as const satisfies Record<string, ErrorRow>
