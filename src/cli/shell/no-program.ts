import { type Caller, isProgram, LOCAL_CALLER } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'

/**
 * The caller of a command that no operation guards and that is left to people. A store that cannot be read tells of no
 * session, so there the process itself must not be one that a coding agent has started.
 */
export async function requireNoProgram(identify: () => Promise<Caller>, what: string): Promise<Caller> {
  const caller = await identify().catch(async (error: unknown) => {
    if (!(error instanceof PosternError && error.code.startsWith('STORE_'))) throw error
    const { requireOutsideHosts } = await import('./outside-hosts.ts')
    requireOutsideHosts(what)
    return LOCAL_CALLER
  })
  if (!isProgram(caller)) return caller
  throw new PosternError('NOT_ALLOWED', {
    message: `${caller.id} ${what}.`,
    next: 'Let a person do it, from a terminal of their own.',
  })
}
