import type { KnownGates } from '../../model/gates.ts'
import type { Context } from '../context.ts'
import { CONFIGURATION } from './session-rules.ts'

/**
 * Whether a hook read its gates from another store than this one, whose id is `present`, or from this one before an older
 * backup took its place. Gates of the configuration are in force whatever the store says. A store keeps a closed gate for
 * the retention time. So a gate that was open within that time and is missing was never in this store.
 */
export async function isReplaced(
  ctx: Context,
  { sessionId, known }: { readonly sessionId: string; readonly known: KnownGates },
  present: string,
): Promise<boolean> {
  const now = ctx.store.now()
  const holding = known.gates.filter(({ mode, until }) => mode === 'strict' && (until === null || until > now))
  const stored = holding.filter(({ name }) => !ctx.sessionGates.some((rule) => rule.name === name))
  if (stored.length === 0) return false
  if (known.store !== null && known.store !== present) return true
  if (known.changedAt < now - ctx.limits.retentionMs) return false
  const { gates } = ctx.store.read
  const registered = new Set((await gates.registered({ sessionId })).map(({ name }) => name))
  for (const { name, createdBy } of stored) {
    // The configuration may have lost a gate since, which is no loss of the store.
    const isStored = name.startsWith('gate_') ? await gates.get(name) : registered.has(name) || !isRegistered(createdBy)
    if (!isStored) return true
  }
  return false
}

/** Of a gate that an older version wrote down, nobody knows whose it is. */
function isRegistered(createdBy: string | undefined): boolean {
  return createdBy !== undefined && createdBy !== CONFIGURATION
}
