import type { Json } from '../json.ts'
import { utf8Length } from '../text.ts'
import { INLINE_BYTES } from './entry.ts'
import { type JsonFields, parseFields } from './json-fields.ts'
import { parseOperatorId } from './operator.ts'
import { isLedgerId } from './topic.ts'

/** An operation of HCS-10, with its fields named as they stand on the ledger. `m` is a remark for people. */
export type Hcs10 = Remarked &
  (
    | Registration
    | Deletion
    | Migration
    | ConnectionRequest
    | ConnectionRequestRecord
    | ConnectionCreated
    | ConnectionCreatedRecord
    | ConnectionClosedRecord
    | Hcs10Message
    | CloseConnection
    | ScheduledTransaction
  )

export type Hcs10Op = Hcs10['op']

interface Remarked {
  readonly m?: string
}

/** On a registry. */
export interface Registration {
  readonly op: 'register'
  readonly account_id: string
  readonly inbound_topic_id?: string
}

export interface Deletion {
  readonly op: 'delete'
  /** The sequence number of the registration, as text. */
  readonly uid: string
}

export interface Migration {
  readonly op: 'migrate'
  readonly t_id: string
}

/** On the inbound topic of whoever is asked. */
export interface ConnectionRequest {
  readonly op: 'connection_request'
  /** Of the one who asks. */
  readonly operator_id: string
}

/** On the outbound topic of the one who asks. */
export interface ConnectionRequestRecord {
  readonly op: 'connection_request'
  /** Of the one who is asked. */
  readonly operator_id: string
  readonly outbound_topic_id: string
  readonly connection_request_id: number
}

/** On the inbound topic of whoever was asked, which is where the answer is looked for. */
export interface ConnectionCreated {
  readonly op: 'connection_created'
  readonly connection_topic_id: string
  readonly connected_account_id: string
  /** Of the one who confirms. */
  readonly operator_id: string
  /** The sequence number of the request. */
  readonly connection_id: number
}

/** On the outbound topic of either side. */
export interface ConnectionCreatedRecord {
  readonly op: 'connection_created'
  readonly connection_topic_id: string
  readonly outbound_topic_id: string
  readonly requestor_outbound_topic_id: string
  readonly confirmed_request_id: number
  readonly connection_request_id: number
  readonly operator_id: string
}

/** On the outbound topic of the one who closed it. */
export interface ConnectionClosedRecord {
  readonly op: 'connection_closed'
  readonly connection_topic_id: string
  readonly close_method: CloseMethod
  readonly operator_id: string
  readonly reason?: string
}

const CLOSE_METHODS = ['explicit', 'admin_key', 'submit_key'] as const
export type CloseMethod = (typeof CLOSE_METHODS)[number]

/** On a connection topic; among agents of one deployment also on the inbound topic of the recipient. */
export interface Hcs10Message {
  readonly op: 'message'
  readonly operator_id: string
  /** Text, JSON as text, or the link of an HCS-1 file. */
  readonly data: string
}

export interface CloseConnection {
  readonly op: 'close_connection'
  readonly operator_id: string
  readonly reason?: string
}

/** Asks the other side to sign what is scheduled on the ledger. */
export interface ScheduledTransaction {
  readonly op: 'transaction'
  readonly operator_id: string
  readonly schedule_id: string
  readonly data: string
}

/** Reads an operation. Undefined where it is none of HCS-10, or is broken: a topic is open to everybody. */
export function parseHcs10(text: string): Hcs10 | undefined {
  const fields = parseFields(text)
  if (fields?.['p'] !== 'hcs-10' || typeof fields['op'] !== 'string') return undefined
  const given = fields['op'] === 'message' ? withTextAsData(fields) : fields
  for (const shape of shapesOf(fields['op'])) {
    const picked = pick(given, shape)
    if (picked) return { op: fields['op'], ...picked } as unknown as Hcs10
  }
  return undefined
}

/** As the standard's reference writes it, and so as its reader takes it: `data` is always text. */
export function formatHcs10(operation: Hcs10): string {
  return JSON.stringify({ p: 'hcs-10', ...operation })
}

/** Whether an operation may stand on a topic as it is; a longer one is published as an HCS-1 file. */
export function isInline(text: string): boolean {
  return utf8Length(text) <= INLINE_BYTES
}

type Check = (value: Json) => boolean
type Shape = Readonly<Record<string, Check | { readonly optional: Check }>>

const isText: Check = (value) => typeof value === 'string'
const isOperator: Check = (value) => parseOperatorId(value) !== undefined
const isNumber: Check = (value) => Number.isSafeInteger(value) && Number(value) > 0
const isUid: Check = (value) => typeof value === 'string' && /^[1-9][0-9]{0,15}$/.test(value)
const isCloseMethod: Check = (value) => CLOSE_METHODS.includes(value as CloseMethod)
const remark = { m: { optional: isText } }

/** Of one operation the richest shape stands first, for a record on an outbound topic has all that others have and more. */
const SHAPES: Readonly<Record<Hcs10Op, readonly Shape[]>> = {
  register: [{ account_id: isLedgerId, inbound_topic_id: { optional: isLedgerId }, ...remark }],
  delete: [{ uid: isUid, ...remark }],
  migrate: [{ t_id: isLedgerId, ...remark }],
  connection_request: [
    { operator_id: isOperator, outbound_topic_id: isLedgerId, connection_request_id: isNumber, ...remark },
    { operator_id: isOperator, ...remark },
  ],
  connection_created: [
    {
      connection_topic_id: isLedgerId,
      outbound_topic_id: isLedgerId,
      requestor_outbound_topic_id: isLedgerId,
      confirmed_request_id: isNumber,
      connection_request_id: isNumber,
      operator_id: isOperator,
      ...remark,
    },
    {
      connection_topic_id: isLedgerId,
      connected_account_id: isLedgerId,
      operator_id: isOperator,
      connection_id: isNumber,
      ...remark,
    },
  ],
  connection_closed: [
    {
      connection_topic_id: isLedgerId,
      close_method: isCloseMethod,
      operator_id: isOperator,
      reason: { optional: isText },
      ...remark,
    },
  ],
  message: [{ operator_id: isOperator, data: isText, ...remark }],
  close_connection: [{ operator_id: isOperator, reason: { optional: isText }, ...remark }],
  transaction: [{ operator_id: isOperator, schedule_id: isLedgerId, data: isText, ...remark }],
}

function shapesOf(op: string): readonly Shape[] {
  return Object.hasOwn(SHAPES, op) ? SHAPES[op as Hcs10Op] : []
}

/** The fields of a shape and nothing else; undefined where one is missing or is not as it must be. */
function pick(fields: JsonFields, shape: Shape): JsonFields | undefined {
  const picked: Record<string, Json> = {}
  for (const [name, rule] of Object.entries(shape)) {
    const value = fields[name]
    const check = typeof rule === 'function' ? rule : rule.optional
    if (value !== undefined && check(value)) picked[name] = value
    else if (value !== undefined || typeof rule === 'function') return undefined
  }
  return picked
}

/** The seed has an object as `data` and the time beside it; the standard has text, and no time of the sender's. */
function withTextAsData(fields: JsonFields): JsonFields {
  const { data, ts } = fields
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return fields
  return { ...fields, data: JSON.stringify(typeof ts === 'string' ? { ts, ...data } : data) }
}
