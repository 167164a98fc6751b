import type { Caller } from '../../src/model/caller.ts'
import { PosternError } from '../../src/model/errors.ts'
import type { Postern } from '../../src/model/postern.ts'
import { DECLARED_OPERATIONS } from '../../src/operations/table.ts'

type Verb = (input?: unknown) => Promise<unknown>

/**
 * The same Postern, which fails where an operation refuses with an error that it does not name. So every rule of the
 * suite also proves that the lists of errors are complete.
 */
export function declared(postern: Postern): Postern {
  return {
    ...postern,
    as: (caller: Caller) => declared(postern.as(caller)),
    agents: declaredRoom('agents', postern.agents),
    sessions: declaredRoom('sessions', postern.sessions),
    inbox: declaredRoom('inbox', postern.inbox),
    gates: declaredRoom('gates', postern.gates),
    decisions: declaredRoom('decisions', postern.decisions),
    spaces: declaredRoom('spaces', postern.spaces),
    plans: declaredRoom('plans', postern.plans),
    services: declaredRoom('services', postern.services),
    tokens: declaredRoom('tokens', postern.tokens),
    bus: declaredRoom('bus', postern.bus),
    handoff: declaredRoom('handoff', postern.handoff),
    messages: declaredRoom('messages', postern.messages),
    notes: declaredRoom('notes', postern.notes),
    ledger: declaredRoom('ledger', postern.ledger),
    events: declaredRoom('events', postern.events),
    upkeep: declaredRoom('upkeep', postern.upkeep),
  }
}

function declaredRoom<T extends object>(room: string, verbs: T): T {
  const wrapped = Object.entries(verbs).map(([name, verb]) => [name, declaredVerb(`${room}.${name}`, verb as Verb)])
  return Object.fromEntries(wrapped) as T
}

function declaredVerb(name: string, verb: Verb): Verb {
  const errors: readonly string[] = DECLARED_OPERATIONS.find((operation) => operation.name === name)?.errors ?? []
  return async (input) => {
    try {
      return await verb(input)
    } catch (error) {
      // The store's own failures may meet every operation.
      if (!(error instanceof PosternError) || error.code.startsWith('STORE_')) throw error
      // So may a refusal of what has not the form of an input at all, behind a server.
      if (errors.includes(error.code) || error.code === 'INPUT_INVALID') throw error
      throw new Error(`${name} refuses with ${error.code}, which it does not name`, { cause: error })
    }
  }
}
