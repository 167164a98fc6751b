import { statSync } from 'node:fs'
import { openOrConnect } from '../../../host/open/open.ts'
import { reasonOf } from '../../../kit/pure/reason-of.ts'
import { type Caller, LOCAL_CALLER } from '../../../model/caller.ts'
import { showField } from '../../../render/terminal.ts'
import type { Io } from '../../shell/command.ts'

interface Restoring {
  readonly caller: Caller
  readonly backup: string
  readonly replaced: string | null
}

const MAX_REASON = 500

/** Writes to the people of the restored store, in the name of whoever restored it. The store is restored all the same. */
export async function tellOfRestore(io: Io, restoring: Restoring): Promise<void> {
  try {
    await write(io, restoring)
  } catch (error) {
    io.stderr.line(`postern: the people of the store were not told of it: ${showField(reasonOf(error), MAX_REASON)}`)
  }
}

async function write({ config }: Io, { caller, backup, replaced }: Restoring): Promise<void> {
  const postern = await openOrConnect(config, { upkeep: false, limits: config.limits })
  try {
    const agents = await postern.agents.list()
    const people = agents.filter(({ kind }) => kind === 'human')
    const owners = people.filter(({ isOwner }) => isOwner)
    const to = (owners.length > 0 ? owners : people).map(({ id }) => id)
    if (to.length === 0) return
    // The caller may be younger than the backup.
    const from = agents.some(({ id }) => id === caller.id) ? caller : LOCAL_CALLER
    const by = caller.kind === 'local' ? 'a process without a name' : caller.id
    const kept = replaced === null ? 'There was no store to replace.' : `The replaced files are in ${replaced}.`
    await postern.as({ ...from, via: 'cli', peer: `pid ${process.pid}` }).inbox.push({
      to,
      subject: 'The store was restored from a backup',
      content: `Restored by ${by} from ${backup}, a file of ${statSync(backup).mtime.toISOString()}. What changed after the backup was made is not in the store. ${kept}`,
    })
  } finally {
    await postern.close()
  }
}
