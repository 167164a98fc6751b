import { listShadows } from '../../../hooks/shadows.ts'
import { open } from '../../../host/open/open.ts'
import type { HealthCheck } from '../../../model/postern.ts'
import type { Io } from '../../shell/command.ts'
import { findLostSessions } from '../gate/forget.ts'

/** Gates that hold sessions of this machine and that the store does not know. Opens the store only if a session is held. */
export async function inspectLostGates(io: Pick<Io, 'config'>): Promise<readonly HealthCheck[]> {
  const { config } = io
  if (config.url !== null || listShadows(config.home).length === 0) return []
  try {
    const postern = await open(config, { upkeep: false, mustExist: true })
    const lost = await findLostSessions(io, postern).finally(() => postern.close())
    return lost.length === 0
      ? []
      : [warning(lost.flatMap(({ agent, gates }) => gates.map(({ name }) => `${name} of ${agent}`)))]
  } catch {
    // A store that cannot be read is a finding of its own.
    return []
  }
}

function warning(gates: readonly string[]): HealthCheck {
  return {
    name: 'gates.lost',
    ok: false,
    level: 'warning',
    detail: `hold sessions, although the store does not know them: ${gates.join(', ')}`,
    next: 'Restore the store that knows them, or let them go: postern gate forget --as <person>',
  }
}
