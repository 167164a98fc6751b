import type { z } from 'zod'
import type { ErrorCode } from '../model/errors.ts'
import { type OperationName, ROUTES } from './routes.ts'

/**
 * One thing that Postern does, declared once. Its name is the path of the method on `Postern`; its faces are where
 * the doors offer it. A test checks both ways: no face without an operation, no operation without its faces.
 */
export interface Operation {
  readonly name: OperationName
  readonly summary: string
  readonly input: z.ZodType
  readonly output: z.ZodType
  readonly errors: readonly ErrorCode[]
  readonly access: Access
  readonly faces: Faces
}

/**
 * Who may ask for it over a network, where a credential says who asks. What depends on more than who asks, such as whose
 * message it is, the heart decides.
 *
 *   anyone   every agent and person, and every service
 *   insiders every agent and person
 *   own      a program only where the named field is itself; where the field is absent, it is itself
 *   session  a program only for an open session of its own, which the named field holds
 *   people   persons and administrators
 *   admin    administrators
 *   proven   whoever proves to be somebody in the input itself
 */
export type Access =
  | ({ readonly to: 'anyone' | 'insiders' | 'people' | 'admin' | 'proven' } & Exceptions)
  | ({ readonly to: 'own' | 'session'; readonly field: string } & Exceptions)

interface Exceptions {
  /** Holds where this very input would run a command on the machine of the server. */
  readonly isForAdmins?: Condition
  /** Holds where this very input would register agents. */
  readonly isForPeople?: Condition
}

type Condition = (input: Readonly<Record<string, unknown>>) => boolean

export interface Faces {
  /** Where it is found over HTTP; the first is what clients use. */
  readonly http: readonly string[]
  /** The command, such as `inbox push`; absent where only programs need it. */
  readonly cli?: string
}

interface Declared extends Omit<Operation, 'faces'> {
  readonly faces: Omit<Faces, 'http'>
}

export function operation(declared: Declared): Operation {
  return { ...declared, faces: { ...declared.faces, http: ROUTES[declared.name] } }
}

export const ANYONE: Access = { to: 'anyone' }
export const INSIDERS: Access = { to: 'insiders' }
export const PEOPLE: Access = { to: 'people' }
export const ADMIN: Access = { to: 'admin' }
export const OWN_AGENT: Access = { to: 'own', field: 'agent' }
