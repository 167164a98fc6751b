import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Contest, Contestant } from '../harness.ts'
import type { Lab } from '../lab.ts'
import { PLACE } from './files.ts'

const BIN = fileURLToPath(new URL('../../bin/postern.cjs', import.meta.url))
const STARTER = fileURLToPath(new URL('../processes/starter.mjs', import.meta.url))
const NODE = 'node -e 0'

/** What the commands of the bus cost from their start to their end. */
export function posting(lab: Lab): Contest {
  const [home, root] = [lab.newFolder(), lab.newFolder()]
  const starter = fork(STARTER, { execArgv: ['--max-semi-space-size=1'] })
  starter.unref()
  starter.channel?.unref()
  const place = ['--project', PLACE.project_id, '--task', PLACE.task_id ?? '']
  const program = (name: string, args: readonly string[]): Contestant => ({
    name,
    enter: async () => ({ block: () => run(starter, args, { home, root }) }),
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

async function run(
  starter: ChildProcess,
  args: readonly string[],
  { home, root }: { readonly home: string; readonly root: string },
): Promise<number> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, POSTERN_HOME: home, POSTERN_BUS_ROOT: root }
  starter.channel?.ref()
  starter.send({ program: process.execPath, args, env, cwd: home, input: '' })
  const [answer] = (await once(starter, 'message')) as [{ readonly ms: number } | { readonly error: string }]
  starter.channel?.unref()
  if ('error' in answer) throw new Error(answer.error)
  return answer.ms
}
