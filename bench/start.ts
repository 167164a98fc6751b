import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openLocal } from '../test/helpers/open-local.ts'
import type { Contestant } from './harness.ts'
import type { Lab, Subject } from './lab.ts'
import { openStarter } from './processes/starter.ts'

const BIN = fileURLToPath(new URL('../bin/postern.cjs', import.meta.url))
const NODE = 'node -e 0'

/** H2, H3: what a hook or a command costs from its start to its end, against Node doing nothing. */
export const start: Subject = async (lab) => {
  const home = await prepareHome(lab)
  const run = openStarter({ folder: home, env: { HOME: home, POSTERN_HOME: home } })
  const command = (name: string, args: readonly string[], before?: () => Promise<void>): Contestant => ({
    name,
    async enter() {
      if (!existsSync(BIN)) throw new Error('bin/postern.cjs is not written yet')
      return {
        async block() {
          await before?.()
          return run(process.execPath, [BIN, ...args])
        },
      }
    },
  })
  return [
    {
      title: 'process',
      // One process a block: commands take turns as often as can be.
      rounds: lab.quick ? 15 : 30,
      contestants: [
        { name: NODE, enter: async () => ({ block: () => run(process.execPath, ['-e', '0']) }) },
        command('drain, empty', ['inbox', 'drain', '--agent', 'idle']),
        command('drain, with mail', ['inbox', 'drain', '--agent', 'quinn'], () => pushOne(home)),
        command('push', ['inbox', 'push', '--to', 'quinn', 'hi']),
        command('agent list', ['agent', 'list']),
        command('--help', ['--help']),
      ],
      goals: [
        { id: 'H2', ours: 'drain, empty', than: NODE, within: 1.15 },
        { id: 'H2', ours: 'drain, with mail', than: NODE, within: 1.6 },
        { id: 'H3', ours: 'push', than: NODE, within: 1.6 },
        { id: 'H3', ours: 'agent list', than: NODE, within: 2 },
        { id: 'H3', ours: '--help', than: NODE, within: 2.2 },
      ],
    },
  ]
}

async function prepareHome(lab: Lab): Promise<string> {
  const home = lab.newFolder()
  const postern = await openLocal(join(home, 'postern.db'), { upkeep: false })
  for (const id of ['quinn', 'idle']) await postern.agents.add({ id })
  await postern.close()
  return home
}

/** Nobody else keeps the store open, so the command pays for opening and closing all of it. */
async function pushOne(home: string): Promise<void> {
  const postern = await openLocal(join(home, 'postern.db'), { upkeep: false })
  await postern.inbox.push({ to: ['quinn'], content: 'CI build failed on main' })
  await postern.close()
}
