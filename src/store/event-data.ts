import { cutToCharacters } from '../kit/pure/cut.ts'
import type { Json } from '../model/json.ts'
import { EVERYBODY } from '../model/message.ts'
import type { PosternEvent } from '../model/network/event.ts'
import type { SpacePost } from '../model/sources/space.ts'
import {
  AGENTS,
  DECISIONS,
  GATES,
  lookUp,
  MEMBERS,
  MESSAGES,
  offeredMessages,
  PLANS,
  POSTS,
  SERVICES,
  SESSIONS,
  SPACES,
} from './event-lookups.ts'
import { readPost } from './post-rows.ts'
import { readMessage } from './rows.ts'
import type { Sql } from './sql.ts'

/** An event as it is kept: that something happened, to what, and to whom. */
export interface RawEvent {
  readonly cursor: string
  readonly at: number
  readonly type: string
  readonly subject: string
  readonly agent: string | null
  readonly detail: string | null
}

type Described = Pick<PosternEvent, 'agents' | 'data'>
type Describe = (event: RawEvent) => Described
/** Looks up, once for a page, what is known now of the things that its events are about. */
type Describer = (sql: Sql, events: readonly RawEvent[]) => Promise<Describe>

/**
 * Says of each event whom it concerns and what a reader wants to know at once. That is looked up when it is read, so it
 * is of now: what an event itself says never changes, and costs next to nothing to write.
 */
export async function describeEvents(sql: Sql, events: readonly RawEvent[]): Promise<readonly PosternEvent[]> {
  const describe = new Map<string, Describe>()
  for (const [noun, ofNoun] of Map.groupBy(events, nounOf)) {
    const describer = DESCRIBERS[noun]
    if (describer) describe.set(noun, await describer(sql, ofNoun))
  }
  return events.map((event) => {
    const { cursor, at, type, subject } = event
    const described = describe.get(nounOf(event))?.(event) ?? { agents: named(event.agent), data: {} }
    return { cursor, at, type, subject, ...described }
  })
}

function nounOf({ type }: RawEvent): string {
  return type.slice(0, type.indexOf('.'))
}

/** What somebody wrote at length is cut: an event tells that it is there. */
const CUT = 200

const DESCRIBERS: Readonly<Record<string, Describer>> = {
  message: async (sql, events) => {
    const found = await lookUp(sql, events, MESSAGES)
    return ({ subject: id }) => {
      const row = found.get(id)?.[0]
      const message = row && readMessage(row, sql.macs)
      if (!message) return { agents: [], data: { id } }
      // Whom a damaged message concerns is not known.
      if (message.damaged) return { agents: [], data: { id, damaged: true } }
      const { type, from, to, subject, priority, ref, replyTo, threadId, createdAt, authenticated } = message
      return {
        agents: to[0] === EVERYBODY ? null : distinct([from.id, ...to]),
        data: {
          ...{ id, type, from: { ...from }, to, subject, priority, ref, replyTo },
          ...{ threadId, createdAt: iso(createdAt) },
          ...(authenticated === false && { authenticated }),
        },
      }
    }
  },

  delivery: async (sql, events) => {
    const [ofOffers, ofMessages] = [events.filter(isOfOffer), events.filter((event) => !isOfOffer(event))]
    const offered = await lookUp(sql, ofOffers, offeredMessages(sql))
    const moved = await lookUp(sql, ofMessages, MESSAGES)
    return (event) => {
      if (!isOfOffer(event)) {
        const message = (moved.get(event.subject) ?? [])
          .map((row) => readMessage(row, undefined))
          .find(({ damaged }) => !damaged)
        return {
          agents: distinct([event.agent, message?.from.id]),
          data: { agent: event.agent, messages: [event.subject] },
        }
      }
      const rows = offered.get(event.subject) ?? []
      const [, , , sessionId = null] = rows[0] ?? []
      const kept = rows.filter(([, id]) => id !== null)
      const [messages, senders] = [kept.map(([, id]) => id as string), kept.map(([, , from]) => from as string)]
      const offer = { offerId: event.subject, sessionId, outcome: event.detail }
      return { agents: distinct([event.agent, ...senders]), data: { agent: event.agent, messages, senders, ...offer } }
    }
  },

  gate: async (sql, events) => {
    const found = await lookUp(sql, events, GATES)
    return ({ subject, agent, detail }) => {
      const [id, , kind, mode, hook, reason, state, waiters, createdBy, createdAt, closedAt, closedBy, closedReason] =
        found.get(subject)?.[0] ?? []
      if (id === undefined) return { agents: named(agent), data: { id: subject, agent } }
      const closed = { closedAt: iso(closedAt), closedBy, closedReason: cut(closedReason) }
      return {
        agents: distinct([agent, createdBy, ...listed(waiters)]),
        data: {
          id,
          agent,
          kind,
          mode,
          hook,
          reason: cut(reason),
          state,
          createdBy,
          createdAt: iso(createdAt),
          ...closed,
          ...refusal(detail),
        },
      }
    }
  },

  decision: async (sql, events) => {
    const found = await lookUp(sql, events, DECISIONS)
    return ({ subject, agent, detail }) => {
      const [id, gateId, question, asked, state, createdAt, dueAt, answer] = found.get(subject)?.[0] ?? []
      if (id === undefined) return { agents: named(agent), data: { id: subject, agent } }
      const { by = null, selected = null } = answer === null ? {} : JSON.parse(answer)
      const times = { createdAt: iso(createdAt), dueAt: iso(dueAt) }
      return {
        agents: distinct([agent, ...listed(asked)]),
        data: {
          ...{ id, agent, gateId, question: cut(question), asked: listed(asked), state },
          ...{ ...times, by, selected, ...refusal(detail) },
        },
      }
    }
  },

  agent: async (sql, events) => {
    const found = await lookUp(sql, events, AGENTS)
    return ({ subject }) => {
      const [id, kind, displayName, createdAt, removedAt] = found.get(subject)?.[0] ?? [subject, null, null]
      return { agents: null, data: { id, kind, displayName, createdAt: iso(createdAt), removedAt: iso(removedAt) } }
    }
  },

  session: async (sql, events) => {
    const found = await lookUp(sql, events, SESSIONS)
    return ({ subject, agent }) => {
      const [, host, machine, project, startedAt, endedAt, idleSince] = found.get(subject)?.[0] ?? [
        null,
        null,
        null,
        null,
      ]
      const times = { startedAt: iso(startedAt), endedAt: iso(endedAt), idleSince: iso(idleSince) }
      return { agents: named(agent), data: { id: subject, agent, host, machine, project, ...times } }
    }
  },

  space: async (sql, events) => {
    const found = await lookUp(sql, events, SPACES)
    const members = await lookUp(sql, events, MEMBERS)
    const posts = await lookUp(sql, events, POSTS, ({ detail }) => detail)
    return ({ subject, agent, detail }) => {
      const [, name = null, closedAt = null, history = null] = found.get(subject)?.[0] ?? []
      const about = { id: subject, name, closedAt: iso(closedAt) }
      const row = posts.get(detail ?? '')?.[0]
      const post = row && readPost(row.slice(1))
      // A post concerns the members that may read it; a post that is gone has no number.
      const isConcerned = (afterSeq: number) => history === 'all' || post === undefined || afterSeq < post.seq
      const concerned = (members.get(subject) ?? []).filter(([, , afterSeq]) => isConcerned(afterSeq))
      const agents = distinct([agent, ...concerned.map(([, member]) => member)])
      return { agents, data: { ...about, ...(agent !== null && { agent }), ...describePost(post) } }
    }
  },

  plan: async (sql, events) => {
    const found = await lookUp(sql, events, PLANS)
    return ({ subject, agent, detail }) => {
      const [, name = detail, cron, zone, nextRunAt, pausedAt, lastRunAt, runs] = found.get(subject)?.[0] ?? []
      const times = { nextRunAt: iso(nextRunAt), pausedAt: iso(pausedAt), lastRunAt: iso(lastRunAt) }
      const known = runs === undefined ? {} : { cron, zone, runs, ...times }
      return { agents: named(agent), data: { id: subject, agent, name, ...known } }
    }
  },

  service: async (sql, events) => {
    const found = await lookUp(sql, events, SERVICES)
    return ({ subject, agent }) => {
      const [, name, createdAt, rotatedAt, revokedAt] = found.get(subject)?.[0] ?? [subject, null]
      const times = { createdAt: iso(createdAt), rotatedAt: iso(rotatedAt), revokedAt: iso(revokedAt) }
      return { agents: named(agent), data: { id: subject, agent, name, ...times } }
    }
  },
}

/** Offers end as a whole; every other move of a delivery is told by its message. */
function isOfOffer({ detail }: RawEvent): boolean {
  return detail !== null
}

/** Of a refused attempt: who tried what, and from where. */
function refusal(detail: string | null): Readonly<Record<string, Json>> {
  return detail === null ? {} : { refused: cut(detail) }
}

function describePost(post: SpacePost | undefined): Readonly<Record<string, Json>> {
  if (!post) return {}
  const { messageId, seq, from, senderName, priority, replyTo, damaged } = post
  return damaged ? { messageId, damaged } : { messageId, seq, from: { ...from }, senderName, priority, replyTo }
}

function named(agent: string | null): readonly string[] {
  return agent === null ? [] : [agent]
}

function distinct(agents: readonly (string | null | undefined)[]): readonly string[] {
  return [...new Set(agents.filter((agent) => typeof agent === 'string'))]
}

function listed(column: string): readonly string[] {
  return column === '' ? [] : column.split(',')
}

function iso(ms: number | null | undefined): string | null {
  return typeof ms === 'number' ? new Date(ms).toISOString() : null
}

function cut(text: string | null): string | null {
  return text === null ? null : cutToCharacters(text, CUT)
}
