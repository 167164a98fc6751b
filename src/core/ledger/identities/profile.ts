import { isProgram } from '../../../model/caller.ts'
import type { Json } from '../../../model/json.ts'
import type { LedgerIdentity } from '../../../model/ledger/identity.ts'
import type { LedgerProfile, SetProfile } from '../../../model/ledger/ledgers.ts'
import { requireCapabilities } from '../../../model/ledger/profile.ts'
import { parseText } from '../../../model/text.ts'
import type { Shelves } from '../../../store/store.ts'
import type { Context, Ledgers } from '../../context.ts'
import { requireAgent } from '../../registry/find.ts'
import { requirePerson } from '../../registry/require-person.ts'
import { publish, requireNoSecret } from '../publish.ts'
import { labelOf } from '../status.ts'
import { ensureIdentity, requireIdentity } from './identity.ts'
import { profileForms, profilePublication, uaidOf } from './publish-profile.ts'

const MODEL_BYTES = 200
const BIO_BYTES = 2_000

export async function showProfile(ctx: Context, { agent }: { readonly agent: string }): Promise<LedgerProfile> {
  const ledgers = await ctx.ledger()
  const { id } = await requireAgent(ctx.store.read, agent)
  return shown(ledgers, ctx.store.read, await requireIdentity(ctx.store.read, ledgers.ledger.network, id))
}

/** Changes a profile and publishes it again. Absent fields stay as they were; an empty text removes a field. */
export async function setProfile(ctx: Context, input: SetProfile): Promise<LedgerProfile> {
  if (isProgram(ctx.caller) && ctx.caller.id !== input.agent) {
    requirePerson(ctx.caller, `change the profile of ${input.agent}`)
  }
  const changes = parseChanges(input)
  const ledgers = await ctx.ledger()
  return ctx.store.transact(async (tx) => {
    const ltx = { ctx, ledgers, tx }
    const { network } = ledgers.ledger
    const { id } = await requireAgent(tx, input.agent)
    await ensureIdentity(ltx, id)
    // A transaction that changes it too is committed by the time this one holds the counter.
    await tx.ledger.nextNumber()
    const changed = { ...(await requireIdentity(tx, network, id)), ...changes, updatedAt: ctx.store.now() }
    const identity = { ...changed, uaid: await uaidOf(ledgers, tx, changed) }
    await tx.ledger.putIdentity(identity)
    requireNoSecret(ledgers, 'full', [identity.bio, identity.model].join('\n'))
    await publish(ltx, await profilePublication(ltx, identity))
    return shown(ledgers, tx, await requireIdentity(tx, network, id))
  })
}

function parseChanges({ capabilities, model, bio }: SetProfile): Partial<LedgerIdentity> {
  return {
    ...(capabilities === undefined ? {} : { capabilities: requireCapabilities(capabilities) }),
    ...(model === undefined ? {} : { model: orNothing(parseText('model', model, MODEL_BYTES)) }),
    ...(bio === undefined ? {} : { bio: orNothing(parseText('bio', bio, BIO_BYTES)) }),
  }
}

function orNothing(text: string): string | null {
  return text.trim() === '' ? null : text
}

async function shown({ ledger }: Ledgers, shelves: Shelves, identity: LedgerIdentity): Promise<LedgerProfile> {
  const { profile, definition } = await profileForms(shelves, identity)
  return {
    ledger: labelOf(ledger),
    identity,
    profile: profile as unknown as Json,
    agent_definition: definition as unknown as Json,
  }
}
