/**
 * Who may call an operation over HTTP or MCP. The core itself checks rules that depend on stored data, such as whose
 * message it is.
 *
 *   anyone    every agent, person and service
 *   insiders  every agent and person
 *   own       a program only if the named field is the program itself, or absent, which means itself; people for anyone
 *   session   a program only if the named field is an open session of its own; people for any session
 *   people    people and administrators
 *   admin     administrators
 *   proven    a caller that proves its identity in the input
 */
export type Access =
  | ({ readonly to: 'anyone' | 'insiders' | 'people' | 'admin' | 'proven' } & AccessExceptions)
  | ({ readonly to: 'own' | 'session'; readonly field: string } & AccessExceptions)

interface AccessExceptions {
  /**
   * What the core grants or refuses beyond `to`, by kind of caller. The table in SECURITY.md is made from this, and a
   * test calls every operation as each kind of caller to check it.
   */
  readonly core?: Readonly<Partial<Record<AccessRole, AccessVerdict>>>
  /** An input that matches would run a command on the server's machine, so only administrators may send it. */
  readonly needsAdmin?: InputCondition
  /** An input that matches would register agents, so only people may send it. */
  readonly needsPerson?: InputCondition
  /** Inputs of which only processes on this machine and administrators may send one. The core refuses them to others. */
  readonly needsLocal?: readonly InputCondition[]
}

/**
 * The kinds of callers that the core tells apart. `named` is an unverified process of this machine that says it is the
 * agent concerned, as the held agent itself may. `other` is a program that names what belongs to another agent. An
 * administrator is no agent: nobody asks it a question, and nothing belongs to it.
 */
export type AccessRole = 'local' | 'named' | 'agent' | 'other' | 'service' | 'person' | 'admin'

/**
 * What a caller gets.
 *
 *   yes     an answer
 *   part    an answer that holds only what concerns the caller
 *   unseen  the same answer as if the thing did not exist
 *   no      a refusal
 */
export type AccessVerdict = 'yes' | 'part' | 'unseen' | 'no'

/**
 * Matches an input whose `field` is present or, with `is`, has that value. With `inEach`, it matches if any member of
 * that list does.
 */
export interface InputCondition {
  readonly field: string
  readonly is?: string | boolean
  readonly inEach?: string
}

export const ANYONE: Access = { to: 'anyone' }
/** Every caller. To a program, a thing that does not concern it does not exist. */
export const IF_SEEN: Access = { ...ANYONE, core: { other: 'unseen' } }
/** Everybody, but a program is shown only what concerns it. */
export const IN_PART: Access = { ...ANYONE, core: { other: 'part' } }
/** Programs for themselves only. */
export const FOR_ITSELF: Access = { ...ANYONE, core: { other: 'no' } }
export const INSIDERS: Access = { to: 'insiders' }
export const INSIDERS_IF_SEEN: Access = { ...INSIDERS, core: { other: 'unseen' } }
export const PEOPLE: Access = { to: 'people' }
/** People; also a program of this machine, for itself or where it adds no person. */
export const SELF_SETUP: Access = { ...PEOPLE, core: { named: 'yes' } }
export const ADMIN: Access = { to: 'admin' }
/** Administrators, but no program of this machine. */
export const TOKENS: Access = { ...ADMIN, core: { named: 'no' } }
export const OWN_AGENT: Access = { to: 'own', field: 'agent' }

/** What only the machine of a session knows of its process. */
const PROCESS_FACTS: readonly InputCondition[] = [
  'pid',
  'pidStartedAt',
  'starterPid',
  'starterStartedAt',
  'machine',
].map((field) => ({ field }))
export const OWN_SESSION: Access = { ...OWN_AGENT, needsLocal: PROCESS_FACTS }
export const OWN_EVENTS: Access = {
  ...OWN_AGENT,
  needsLocal: [...PROCESS_FACTS, { field: 'firing' }, { field: 'minContinuations' }],
}
/** Only processes on this machine and administrators, of any session. */
export const LOCAL_STOPS: Access = {
  to: 'session',
  field: 'id',
  core: { agent: 'no', service: 'no', person: 'no' },
}
