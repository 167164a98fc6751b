import { PosternError } from '../../../model/errors.ts'
import type { EmitEvent, PostedNote } from '../../../model/ledger/ledgers.ts'
import { SEED_NORMAL } from '../../../model/ledger/seed-priority.ts'
import type { EventRoute, LedgerSettings } from '../../../model/ledger/settings.ts'
import { parseMessageType } from '../../../model/message.ts'
import { parseText } from '../../../model/text.ts'
import type { Context } from '../../context.ts'
import { parseJson } from '../../deliveries/compose.ts'
import { writerOf } from '../identities/identity.ts'
import { contentOf } from '../messages/compose.ts'
import { postOnWork } from './post.ts'

/** Writes on the topic of a work item what has happened to it, and tells the agents that the routing table names. */
export async function emitEvent(ctx: Context, input: EmitEvent): Promise<PostedNote> {
  const type = parseEventType(input.type)
  const subject = parseText('subject', input.subject ?? '', ctx.limits.subjectBytes).trim() || null
  const payload = parseJson('payload', input.payload, ctx.limits.payloadBytes)
  const ledgers = await ctx.ledger()
  const route = routeOf(ledgers.settings, type)
  return postOnWork(ctx, {
    about: input.topic,
    purpose: 'event',
    type,
    requireItem: () => {},
    notify: route?.to ?? [],
    priority: route?.priority ?? SEED_NORMAL,
    says(entity) {
      const headline = subject ?? `${type}: ${entity}`
      return { subject: headline, content: contentOf(headline, payload), ...(payload === null ? {} : { payload }) }
    },
    entry: (event_id, ts) => ({
      kind: 'event',
      type,
      from_agent: writerOf(ctx.caller),
      subject,
      payload,
      event_id,
      ts,
    }),
  })
}

/** A note is posted as a note, so that those whom it names are told. */
function parseEventType(value: string): string {
  const type = parseMessageType(value)
  if (!type.endsWith('.note')) return type
  throw new PosternError('VALUE_INVALID', {
    field: 'type',
    value: type,
    next: 'Post a note with "postern note post <entity> <text>".',
  })
}

/** The agents that are told of an event; undefined if the table does not know its type. */
export function routeOf({ routing }: Pick<LedgerSettings, 'routing'>, type: string): EventRoute | undefined {
  return Object.hasOwn(routing, type) ? routing[type] : undefined
}
