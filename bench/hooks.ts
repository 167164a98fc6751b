import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openLocal } from '../test/helpers/open-local.ts'
import type { Contestant } from './harness.ts'
import type { Lab, Subject } from './lab.ts'
import { openStarter, type Start } from './processes/starter.ts'

const BIN = fileURLToPath(new URL('../bin/postern.cjs', import.meta.url))
const NODE = 'node -e 0'
const MANY = 10_000

/** H1, H2: what a hook costs as it is installed, through the launcher, against Node doing nothing. */
export const hooks: Subject = async (lab) => {
  const plain = await prepare(lab, 0)
  const full = await prepare(lab, MANY)
  const contestants: Contestant[] = [
    { name: NODE, enter: async () => ({ block: () => plain.start(process.execPath, ['-e', '0']) }) },
    hook('quiet', plain, 'idle'),
    hook('nothing to show', plain, 'idle', () => disturb(plain, 'idle')),
    hook('with mail', plain, 'quinn', () => pushOne(plain)),
    hook('quiet, 10,000 waiting elsewhere', full, 'idle'),
    hook('nothing to show, 10,000 waiting elsewhere', full, 'idle', () => disturb(full, 'idle')),
    hook('with mail, 10,000 waiting', full, 'quinn'),
  ]
  return [
    {
      title: 'hook',
      // One process a block: they take turns as often as can be.
      rounds: lab.quick ? 15 : 60,
      contestants,
      goals: [
        { id: 'H1', ours: 'quiet', than: NODE, within: 0.1 },
        { id: 'H1', ours: 'quiet, 10,000 waiting elsewhere', than: NODE, within: 0.1 },
        { id: 'H2', ours: 'nothing to show', than: NODE, within: 1.15 },
        { id: 'H2', ours: 'nothing to show, 10,000 waiting elsewhere', than: NODE, within: 1.15 },
        { id: 'H2', ours: 'with mail', than: NODE, within: 1.6 },
        { id: 'H2', ours: 'with mail, 10,000 waiting', than: NODE, within: 1.6 },
      ],
    },
  ]
}

interface Place {
  readonly start: Start
  readonly home: string
  readonly project: string
  readonly launcher: string
}

/** A home as a user has it: agents, an installed launcher, and sessions that have begun. */
async function prepare(lab: Lab, waiting: number): Promise<Place> {
  const [home, project] = [lab.newFolder(), lab.newFolder()]
  const postern = await openLocal(join(home, 'postern.db'), { upkeep: false })
  for (const id of ['quinn', 'idle']) await postern.agents.add({ id })
  const messages = Array.from({ length: waiting }, (_, at) => ({ to: ['quinn'], content: `message ${at}` }))
  if (waiting > 0) await postern.inbox.pushMany({ messages })
  await postern.close()
  const env = { ...process.env, POSTERN_HOME: home, HOME: project }
  const init = ['init', '--host', 'claude-code', '--agent', 'idle', '--scope', 'project', '--yes']
  execFileSync(process.execPath, [BIN, ...init], { env, cwd: project, stdio: 'ignore' })
  const start = openStarter({ folder: project, env: { HOME: project, POSTERN_HOME: home } })
  const place = { start, home, project, launcher: join(home, 'bin', 'hook') }
  for (const agent of ['quinn', 'idle']) {
    await fire(place, agent, 'SessionStart')
    await fire(place, agent, 'UserPromptSubmit')
  }
  return place
}

function hook(name: string, place: Place, agent: string, before?: () => Promise<void>): Contestant {
  return {
    name,
    async enter() {
      return {
        async block() {
          await before?.()
          return fire(place, agent, 'UserPromptSubmit')
        },
      }
    },
  }
}

let events = 0

/** As hosts do it: through a shell. */
function fire(place: Place, agent: string, event: string): Promise<number> {
  const word = event === 'SessionStart' ? ' full' : ''
  const input = JSON.stringify({
    session_id: `session-${agent}`,
    transcript_path: join(place.project, 'transcript.jsonl'),
    cwd: place.project,
    hook_event_name: event,
    prompt_id: String(events++),
    prompt: 'go on',
  })
  return place.start('sh', ['-c', `exec "${place.launcher}" claude-code ${agent}${word}`], input)
}

/** Something concerned the agent and is over: the next hook has to look. */
async function disturb({ home }: Place, agent: string): Promise<void> {
  rmSync(join(home, 'quiet', agent), { force: true })
}

async function pushOne({ home }: Place): Promise<void> {
  const postern = await openLocal(join(home, 'postern.db'), { upkeep: false })
  await postern.inbox.push({ to: ['quinn'], content: 'CI build failed on main' })
  await postern.close()
}
