import { type Caller, isProgram } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'

/** Refuses a program. People decide who the people and the agents are, what is released, and what is removed. */
export function requirePerson(caller: Caller, what: string): void {
  if (!isProgram(caller)) return
  throw new PosternError('NOT_ALLOWED', {
    message: `${caller.id} cannot ${what}.`,
    next: 'Let a person do it, from a terminal of their own.',
  })
}
