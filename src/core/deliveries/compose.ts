import { isAgentId, parseAgentId } from '../../model/agent.ts'
import { agentOf, type Caller, trustOf } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { isJson, isStorable, type Json } from '../../model/json.ts'
import { type Attachment, EVERYBODY, type Message, parseMessageType } from '../../model/message.ts'
import { parseTraceContext } from '../../model/network/trace-context.ts'
import type { PushMessage } from '../../model/postern.ts'
import { NORMAL, parsePriority } from '../../model/priority.ts'
import { spaceOf } from '../../model/sources/space.ts'
import { parseText, utf8Length } from '../../model/text.ts'
import type { Context } from '../context.ts'

const KEY_BYTES = 300
const ATTACH = ' Attach a file instead.'

/**
 * Keys that Postern makes itself. Keys are one namespace per recipient, so a caller that could choose such a key would
 * stand in the way of somebody else's message.
 */
export const RESERVED_KEY =
  /^(?:(?:postern|inbox|bus|handoff|wake|http|once):|gate:gate_|decision:dec_|svc:svc_|plan_[0-9A-Z]{26}[+]|(?:ledger|note|event):(?:msg_|[0-9]))/
const WAKE_DOOR = 'wake'
const MAX_ATTACHMENTS = 50

/** Turns the input of a push into a message, or refuses it. A reply gets its thread when it is stored. */
export function composeMessage(ctx: Context, input: PushMessage): Message {
  const { limits, caller } = ctx
  const createdAt = ctx.store.now()
  const content = parseText('content', input.content, limits.contentBytes, ATTACH)
  if (content.trim() === '') throw new PosternError('CONTENT_EMPTY')
  requireRoom(input, limits.payloadBytes)
  const id = ctx.newId('msg')
  return {
    id,
    type: parseMessageType(input.type ?? 'agent'),
    from: { id: caller.id, ...trustOf(caller) },
    to: parseRecipients(ctx, input.to ?? []),
    subject: optionalText('subject', input.subject, limits.subjectBytes),
    content,
    payload: parseJson('payload', input.payload, limits.payloadBytes),
    context: parseJson('context', input.context, limits.payloadBytes),
    priority: parsePriority(input.priority ?? NORMAL),
    ref: optionalText('ref', input.ref, KEY_BYTES),
    replyTo: input.replyTo ?? null,
    threadId: id,
    hops: 0,
    dedupKey: parseDedupKey(caller, input.dedupKey),
    attachments: parseAttachments(input.attachments ?? [], limits.payloadBytes),
    trace: parseTraceContext(input.trace?.traceparent, input.trace?.tracestate) ?? null,
    createdAt,
    expiresAt: input.ttlMs === undefined ? null : createdAt + parseTtl(input.ttlMs, limits.ttlMs),
  }
}

/** Removes duplicates and sorts, so that every transaction locks recipients in the same order. */
function parseRecipients(ctx: Context, to: readonly string[]): readonly string[] {
  if (to.length === 0) {
    const own = agentOf(ctx.caller)
    if (own === undefined) throw new PosternError('RECIPIENT_MISSING')
    return [own]
  }
  if (to.length === 1) return [parseAddress(to[0] ?? '')]
  if (to.length > ctx.limits.recipientsPerPush) {
    throw new PosternError('VALUE_INVALID', {
      field: 'number of recipients',
      value: to.length,
      next: `Name at most ${ctx.limits.recipientsPerPush}, or everybody with "all".`,
    })
  }
  return [...new Set(to.map(parseOneOfMany))].sort()
}

function parseOneOfMany(address: string): string {
  if (address === EVERYBODY || spaceOf(address) !== undefined)
    throw new PosternError('ADDRESS_UNSUPPORTED', { address })
  return parseAgentId(address)
}

function parseAddress(address: string): string {
  // The name of a space is checked in core/spaces.
  if (address === EVERYBODY || isAgentId(address) || spaceOf(address) !== undefined) return address
  return parseAgentId(address)
}

function parseDedupKey(caller: Caller, value: string | undefined): string | null {
  const key = optionalText('dedup key', value, KEY_BYTES)
  if (!key || !RESERVED_KEY.test(key) || isOwnKey(caller, key)) return key
  throw new PosternError('VALUE_INVALID', {
    field: 'dedup key',
    value: key,
    next: `Choose another: Postern itself makes the keys that begin with "${key.slice(0, key.indexOf(':') + 1)}".`,
  })
}

/**
 * Doors turn an idempotency key into a dedup key that names its caller. Such a key meets only keys of the same caller.
 * `postern wake` tells people under a key of its own, and nobody else does.
 */
function isOwnKey(caller: Caller, key: string): boolean {
  if (key.startsWith('wake:')) return caller.kind === 'local' && caller.via === WAKE_DOOR
  const named = `${caller.kind}:${caller.id}:`
  return ['http:', 'http:admin:', 'once:'].some((scheme) => key.startsWith(scheme + named))
}

/** An empty text counts as absent. */
function optionalText(field: string, value: string | undefined, maxBytes: number): string | null {
  return value === undefined || value === '' ? null : parseText(field, value, maxBytes)
}

export function parseJson(field: string, value: Json | undefined, maxBytes: number): Json | null {
  if (value === undefined || value === null) return null
  if (!isJson(value)) {
    throw new PosternError('VALUE_INVALID', {
      field,
      value: 'given',
      next: 'Send JSON that is nested at most 32 deep.',
    })
  }
  const text = JSON.stringify(value)
  const bytes = utf8Length(text)
  if (bytes > maxBytes) throw new PosternError('CONTENT_TOO_LARGE', { field, bytes, limit: maxBytes })
  if (!isStorable(value)) throw new PosternError('TEXT_INVALID', { field, what: 'a lone surrogate or a NUL character' })
  return value
}

/** Payload, context and attachments share one limit, because they share one column. */
function requireRoom({ payload, context, attachments }: PushMessage, limit: number): void {
  const given = [payload, context, attachments].filter((each) => each !== undefined && each !== null)
  if (given.length < 2) return
  const bytes = given.reduce<number>((sum, each) => sum + (isJson(each) ? utf8Length(JSON.stringify(each)) : 0), 0)
  if (bytes > limit)
    throw new PosternError('CONTENT_TOO_LARGE', { field: 'payload, context and attachments', bytes, limit })
}

function parseAttachments(attachments: readonly Attachment[], maxBytes: number): readonly Attachment[] {
  if (attachments.length === 0) return attachments
  for (const { name, path, url } of attachments) {
    for (const text of [name, path ?? '', url ?? '']) parseText('attachment', text, KEY_BYTES * 10)
  }
  const isSound = attachments.every(
    ({ sha256, bytes }) => /^[0-9a-f]{64}$/.test(sha256) && Number.isSafeInteger(bytes) && bytes >= 0,
  )
  if (!isSound || attachments.length > MAX_ATTACHMENTS) {
    throw new PosternError('VALUE_INVALID', {
      field: 'attachments',
      value: attachments.length,
      next: `Name at most ${MAX_ATTACHMENTS}, each with its sha256 and its size.`,
    })
  }
  parseJson(
    'attachments',
    attachments.map((attachment) => ({ ...attachment })),
    maxBytes,
  )
  return attachments
}

function parseTtl(ttlMs: number, maxMs: number): number {
  if (Number.isFinite(ttlMs) && ttlMs > 0 && ttlMs <= maxMs) return Math.ceil(ttlMs)
  throw new PosternError('DURATION_INVALID', {
    value: Number.isFinite(ttlMs) ? inDays(ttlMs) : ttlMs,
    limit: inDays(maxMs),
  })
}

function inDays(ms: number): string {
  return `${Math.round(ms / 86_400) / 1_000} days`
}
