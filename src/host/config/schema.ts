import type { Limits } from '../../model/limits.ts'
import { ALLOW } from './allow.ts'
import { BUS } from './bus.ts'
import type { GroupName } from './config-file.ts'
import type { Group, Setting, WrittenSettings } from './group.ts'
import { HANDOFF } from './handoff.ts'
import { LEDGER } from './ledger.ts'
import { SERVER } from './server.ts'
import type { VARIABLES } from './variables.ts'
import { WIRE } from './wire.ts'

/**
 * Every group whose settings have fixed names, in the order in which the docs show them. Each program imports only the
 * groups that it uses; this list is for commands and tests that go through all of them. `GATES` has names that the user
 * chooses, and `HOOKS` is a list, so they are not here.
 */
export const GROUPS: readonly AnyGroup[] = [ALLOW, SERVER, BUS, HANDOFF, WIRE, LEDGER]

/** A group whose settings are read one by one, whatever their types. */
export interface AnyGroup extends Group<unknown> {
  readonly name: GroupName
  readonly settings: Readonly<Record<string, Setting<unknown>>>
  values(written: WrittenSettings): object
}

/** The defaults of settings without a group, as docs/reference/config.md shows them. */
export const VARIABLE_DEFAULTS: Readonly<Record<keyof typeof VARIABLES, string>> = {
  home: '`~/.postern`',
  store: '`postern.db` in the home',
  url: 'none: the store is opened in the command itself',
  token: '`token` in the home',
  nudgeToken: '`nudge-token` in the home',
  caller: '`local`, or the AI session that the process runs in',
  session: 'that of Claude Code, if it started the process',
}

interface LimitFacts {
  readonly unit: string
  /** What it bounds. */
  readonly help: string
}

/** The limits. Their defaults are those of the model. */
export const LIMITS: Readonly<Record<keyof Limits, LimitFacts>> = {
  contentBytes: { unit: 'bytes, UTF-8', help: 'the content of a message' },
  payloadBytes: { unit: 'bytes, as JSON', help: 'payload, context and attachments, together' },
  subjectBytes: { unit: 'bytes, UTF-8', help: 'the subject' },
  pendingPerAgent: {
    unit: 'messages',
    help: 'pending in one inbox; then pushes are refused, broadcasts excepted',
  },
  sessionsPerAgent: {
    unit: 'sessions',
    help: 'open at once for one agent; a further one ends the session with the least recent event',
  },
  recipientsPerPush: { unit: 'agents', help: 'named in one push' },
  pushesPerBatch: { unit: 'messages', help: 'in one `pushMany` of the library' },
  hops: { unit: 'replies', help: 'automatic replies in a row; further ones are held' },
  pairBurst: {
    unit: 'messages',
    help: 'from one agent or service to one recipient at once, people included; further ones are held, and questions are refused',
  },
  pairPerMinute: { unit: 'messages a minute', help: 'how fast that allowance comes back' },
  threadMessages: { unit: 'messages', help: 'in a thread in which AI agents reply; further replies are held' },
  unprintedOfferMs: { unit: 'milliseconds', help: 'how long an offer lasts before its text is printed' },
  printedOfferMs: { unit: 'milliseconds', help: 'how long a printed offer waits for its confirmation' },
  attempts: { unit: 'offers', help: 'after so many a message that comes back is dead' },
  ttlMs: { unit: 'milliseconds', help: 'the longest time to live' },
  retentionMs: { unit: 'milliseconds', help: 'how long finished messages are kept' },
  repliesPerCaller: {
    unit: 'answers',
    help: 'to requests with an `Idempotency-Key`, of one caller, kept at once; then further keys are refused',
  },
  replyBytesPerCaller: { unit: 'bytes, UTF-8', help: 'of those answers together; then further keys are refused' },
  spacesPerProgram: { unit: 'spaces', help: 'not closed, made by one agent or service' },
  gateBurst: { unit: 'gates', help: 'that one agent or service creates at once, questions included' },
  gatesPerMinute: { unit: 'gates a minute', help: 'how fast that allowance comes back' },
  creationBurst: {
    unit: 'things',
    help: 'that one agent or service creates at once, counted by kind: spaces, buses, bus entries with attachments that are stored, and sessions that its token begins',
  },
  creationsPerMinute: { unit: 'things a minute', help: 'how fast each of those allowances comes back' },
  drainMessages: { unit: 'messages', help: 'shown by one drain, critical ones excepted' },
  drainCharacters: { unit: 'characters', help: 'shown by one drain of the command line, frame included' },
}
