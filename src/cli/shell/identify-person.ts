import { type IdentitySources, identify, ownSession } from '../../host/identity.ts'
import { requireNoHostVariable } from '../../host/person-voice.ts'
import { type Caller, LOCAL_CALLER } from '../../model/caller.ts'
import { asPosternError } from '../../model/errors.ts'
import type { NoteRefusal } from '../../model/gates.ts'
import type { Postern } from '../../model/postern.ts'
import type { Args, Form } from './command.ts'

interface Door {
  readonly postern: Postern
  readonly sources: IdentitySources
}

/**
 * Identifies the caller of a command that a person's word decides. A process that an agent has started is refused even
 * where it names nobody, and a refused attempt on a gate is recorded.
 */
export async function identifyPerson(form: Form, args: Args, door: Door): Promise<Caller> {
  try {
    const caller = await identifyAnyone(form, door)
    if (caller.kind === 'local' && isForPeople(form, args))
      requireNoHostVariable(`cannot use "postern ${form.path}" without a name`)
    return caller
  } catch (error) {
    const attempt = form.closes
    const isRefused = asPosternError(error).code === 'NOT_ALLOWED'
    if (attempt && isRefused) await recordRefusal(door, { id: args.operands[0] ?? '', attempt })
    throw error
  }
}

function isForPeople({ isForPeople: rule }: Form, args: Args): boolean {
  return typeof rule === 'function' ? rule(args) : rule === true
}

/** A command that works before any agent is registered ignores the name of an agent that does not exist. */
async function identifyAnyone({ isForAnyone }: Form, { postern, sources }: Door): Promise<Caller> {
  try {
    return await identify(postern, sources)
  } catch (error) {
    if (!isForAnyone || asPosternError(error).code !== 'AGENT_NOT_FOUND') throw error
    return identify(postern, { via: sources.via })
  }
}

/** The attempt has not reached the core, so it would leave no trace. A token may note nothing: its server knows its holder. */
async function recordRefusal(
  { postern, sources }: Door,
  attempted: Pick<NoteRefusal, 'id' | 'attempt'>,
): Promise<void> {
  const { as = sources.agent, via } = sources
  const isToken = postern.caller.verified && postern.caller.kind !== 'local'
  if (isToken || as === undefined) return
  const own = await ownSession(postern)
  const who = own ? { id: own.agent, kind: own.kind, verified: false } : LOCAL_CALLER
  const caller = { ...who, via, peer: `pid ${process.pid}` }
  const session = own && !own.isOver ? { sessionId: own.id } : {}
  // A gate that does not exist has no history.
  await postern
    .as(caller)
    .gates.noteRefusal({ ...attempted, as, ...session })
    .catch(() => {})
}
