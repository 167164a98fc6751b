import { fileURLToPath } from 'node:url'
import type { Contest, Contestant } from '../harness.ts'
import type { Lab } from '../lab.ts'
import { openStarter } from '../processes/starter.ts'
import { PLACE, writeEntries } from './files.ts'

const BIN = fileURLToPath(new URL('../../bin/postern.cjs', import.meta.url))
const NODE = 'node -e 0'

/** What the commands of the bus cost from their start to their end. */
export function posting(lab: Lab): Contest {
  const [home, root] = [lab.newFolder(), lab.newFolder()]
  const start = openStarter({ folder: home, env: { HOME: home, POSTERN_HOME: home, POSTERN_BUS_ROOT: root } })
  writeEntries(root, 1)
  const place = ['--project', PLACE.project_id, '--task', PLACE.task_id ?? '']
  const program = (name: string, args: readonly string[]): Contestant => ({
    name,
    enter: async () => ({ block: () => start(process.execPath, args) }),
  })
  return {
    title: 'process',
    rounds: lab.quick ? 15 : 30,
    contestants: [
      program(NODE, ['-e', '0']),
      program('bus post', [BIN, 'bus', 'post', ...place, '--type', 'FACT', '--body', 'The build is green.']),
      program('bus read', [BIN, 'bus', 'read', ...place, '--tail', '1']),
    ],
    goals: [
      { id: 'H3', ours: 'bus post', than: NODE, within: 2 },
      { id: 'H3', ours: 'bus read', than: NODE, within: 2 },
    ],
  }
}
