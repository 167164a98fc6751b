import { HOSTS } from '../../hooks/hosts/hosts.ts'
import { requireNoHostVariable } from '../../host/person-voice.ts'
import { programAbove } from '../../kit/node/host-process.ts'
import { ownPid } from '../../kit/node/processes.ts'
import { PosternError } from '../../model/errors.ts'

/** The names of the programs that are hosts. */
export const HOST_PROGRAMS: readonly string[] = Object.values(HOSTS).flatMap(({ programs }) => programs)

/**
 * Refuses a process that a coding agent has started, as its environment or a program above it says. No store is asked: it
 * may be gone, or so new that it knows no session.
 */
export function requireOutsideHosts(what: string): void {
  requireNoHostVariable(what)
  if (!programAbove(ownPid(), HOST_PROGRAMS)) return
  throw new PosternError('NOT_ALLOWED', {
    message: `A coding agent has started this process, so it ${what}.`,
    next: 'Let a person do it, from a terminal of their own.',
  })
}
