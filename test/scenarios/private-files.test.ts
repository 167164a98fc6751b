import { lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { type Outcome, postern } from '../helpers/command.ts'
import { fastFolder } from '../helpers/temp.ts'
import { verifies } from './verifies.ts'

/** Runs a command under a umask that hides nothing. */
const OPEN_UMASK = ['sh', '-c', 'umask 000; exec "$@"', 'sh']

/** Paths below a folder that somebody else could enter, read or write. */
function findShared(home: string, folder = home): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    const mode = lstatSync(path).mode & 0o777
    const shared = (mode & 0o077) === 0 ? [] : [`${relative(home, path)} ${mode.toString(8)}`]
    return entry.isDirectory() ? [...shared, ...findShared(home, path)] : shared
  })
}

it('keeps every file of the home private under any umask', async () => {
  verifies('files.private')
  const [home, project] = [join(fastFolder(), 'home'), fastFolder()]
  mkdirSync(join(project, '.git'))
  writeFileSync(join(project, 'postern.config.json'), '{}')
  const hook = (event: string) =>
    run(['hook', '--host', 'claude-code', '--agent', 'quinn'], {
      hook_event_name: event,
      session_id: 's1',
      cwd: project,
      ...(event === 'SessionStart' && { source: 'startup' }),
    })
  async function run(words: readonly string[], input?: object): Promise<Outcome> {
    const outcome = await postern(
      { home, cwd: project, wrap: OPEN_UMASK, stdin: input ? JSON.stringify(input) : '', hasOwnCache: true },
      ...words,
    )
    expect(outcome, words.join(' ')).toMatchObject({ exit: 0 })
    return outcome
  }
  await run(['agent', 'add', 'justin', '--kind', 'human', '--owner'])
  await run(['agent', 'add', 'quinn'])
  await run(['init', '--host', 'claude-code', '--agent', 'quinn', '--yes'])
  await run(['config', 'trust'])
  await run(['gate', 'create', '--agent', 'quinn', '--kind', 'human', '--reason', 'wait'])
  await run(['inbox', 'push', '--to', 'quinn', 'hello'])
  await hook('SessionStart')
  await hook('UserPromptSubmit')
  await hook('Stop')
  await run(['service', 'create', 'ci', '--agent', 'quinn'])
  await run(['token', 'create', '--scope', 'agent:quinn'])
  await run(['handoff', 'init'])
  await run(['bus', 'post', '--project', 'atlas', '--type', 'FACT', 'x'])
  await run(['doctor'])
  expect(findShared(home)).toEqual([])
})
