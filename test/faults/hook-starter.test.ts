import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type ClaudeStandIn, startClaude } from '../helpers/hosts/claude-stand-in.ts'
import { HASTY_HOST_ENV } from '../helpers/patience.ts'
import { fastFolder } from '../helpers/temp.ts'
import { warmPostern } from '../helpers/warm-command.ts'
import { verifies } from '../scenarios/verifies.ts'

interface Host {
  fire(event: string): Promise<string>
  kill(): Promise<void>
}

/** Runs a line of shell in a process of its own, which ends with it. */
function runner(stdout: 'inherit' | 'pipe'): string {
  const stdio = `{ stdio: ['inherit', '${stdout}', 'inherit'] }`
  const run = `require('node:child_process').spawnSync('sh', ['-c', process.argv[1]], ${stdio})`
  return `'${process.execPath}' -e "process.stdout.write(${run}.stdout || '')"`
}

/** A home with quinn and its hooks, and a way to start hosts in it whose program has a name of its own. */
async function prepare(): Promise<{
  run(...words: string[]): Promise<string>
  start(session: string, shell?: string): Host
}> {
  const home = fastFolder()
  const run = async (...words: string[]) => (await warmPostern({ home }, ...words)).stdout
  await run('agent', 'add', 'quinn')
  await run('init', '--host', 'claude-code', '--agent', 'quinn', '--scope', 'user', '-y')
  const { hooks } = JSON.parse(readFileSync(join(home, '.claude', 'settings.json'), 'utf8'))
  const commandOf = (event: string): string => hooks[event][0].hooks[0].command

  function start(session: string, shell = 'eval'): Host {
    const host: ClaudeStandIn = startClaude({ home, agent: 'quinn', marks: HASTY_HOST_ENV, program: 'our-own-agent' })
    return {
      async fire(event) {
        const fields = { session_id: session, cwd: home, transcript_path: '/nowhere', source: 'startup' }
        const input = JSON.stringify({ hook_event_name: event, ...fields, prompt: 'go on', prompt_id: event })
        // A command after it keeps the shell.
        const { exit, stdout } = await host.run(`${shell} '${commandOf(event)}'; exit $?`, input)
        expect(exit).toBe(0)
        return stdout
      },
      kill: host.kill,
    }
  }
  return { run, start }
}

it('mail of a session whose host was killed comes back at once, whatever its program is called', async () => {
  verifies('G4.printed-lease')
  const { run, start } = await prepare()
  await run('inbox', 'push', '--to', 'quinn', 'shown to the first')
  const first = start('ses-1')
  expect(await first.fire('SessionStart')).toContain('shown to the first')
  await first.kill()
  const second = start('ses-2')
  expect(await second.fire('SessionStart')).toContain('shown to the first')
  await second.kill()
  expect(await run('inbox', 'drain', '--agent', 'quinn')).toContain('shown to the first')
  expect(await run('inbox', 'drain', '--agent', 'quinn')).toContain('No messages')
})

it.each([
  ['shells', `sh -c`],
  ['a program that passes its output on', runner('inherit')],
  ['a program that reads its output', runner('pipe')],
])('a running host keeps its mail when %s exits with the hook', async (_, shell) => {
  verifies('G4.printed-lease')
  const { run, start } = await prepare()
  const host = start('ses-1', shell)
  await host.fire('SessionStart')
  await run('inbox', 'push', '--to', 'quinn', 'shown once')
  expect(await host.fire('UserPromptSubmit')).toContain('shown once')
  expect(await start('ses-2').fire('SessionStart')).not.toContain('shown once')
  expect(await run('inbox', 'drain', '--agent', 'quinn')).toContain('No messages')
})
