import type { Foreshadowed } from '../core/context.ts'
import type { StandingGate } from '../model/gates.ts'
import { formatShadow, NO_SHADOW, openShadow, parseShadow, type Shadow, shadowName } from './shadow.ts'
import { shadowCopiesOf } from './shadow-copies.ts'

/** Adds a gate to the shadows of sessions, and to their copies outside of the home. Throws nothing. */
export function foreshadow(
  { home, place }: { readonly home: string; readonly place: string },
  { store, gate, owners }: Foreshadowed,
): void {
  const copies = shadowCopiesOf(home)
  for (const owner of owners) {
    const file = openShadow(home, owner)
    const name = shadowName(owner)
    const before = file.read()
    // A session that holds gates of another store is not answered by this one.
    if (before.gates.length > 0 && before.store !== store) continue
    const known = { store, place, gates: withGate(before, gate) }
    if (!file.write({ ...before, ...known })) continue
    copies.write(name, formatShadow(owner, { ...(parseShadow(copies.read(name)) ?? NO_SHADOW), ...known }))
  }
}

/** A session gate may be registered anew with other words. */
function withGate({ gates }: Shadow, gate: StandingGate): readonly StandingGate[] {
  return [...gates.filter(({ name }) => name !== gate.name), gate]
}
