import { spawnSync } from 'node:child_process'
import { existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openLocal } from '../src/host/open-local.ts'
import type { Contestant } from './harness.ts'
import type { Lab, Subject } from './lab.ts'

const BIN = fileURLToPath(new URL('../bin/postern.cjs', import.meta.url))
const NODE = 'node -e 0'

/** H2, H3: what a hook or a command costs from its start to its end, against Node doing nothing. */
export const start: Subject = async (lab) => {
  const home = await prepareHome(lab)
  const command = (name: string, args: readonly string[], before?: () => Promise<void>): Contestant => ({
    name,
    async enter() {
      if (!existsSync(BIN)) throw new Error('bin/postern.cjs is not written yet')
      return { block: () => spawnOnce([BIN, ...args], home, before) }
    },
  })
  return [
    {
      title: 'process',
      // One process a block: commands take turns as often as can be.
      rounds: lab.quick ? 15 : 30,
      contestants: [
        { name: NODE, enter: async () => ({ block: () => spawnOnce(['-e', '0'], home) }) },
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

const nowhere = openSync('/dev/null', 'w')

async function spawnOnce(args: readonly string[], home: string, before?: () => Promise<void>): Promise<number> {
  await before?.()
  const env = { ...process.env, POSTERN_HOME: home }
  const startedAt = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { env, stdio: ['ignore', nowhere, 'pipe'] })
  const ms = performance.now() - startedAt
  if (status !== 0) throw new Error(`exit code ${status}: ${stderr.toString().trim()}`)
  return ms
}
