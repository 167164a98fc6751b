import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandEnvironment, EXECUTABLE, postern } from '../helpers/command.ts'
import { fastFolder } from '../helpers/temp.ts'
import { verifies } from './verifies.ts'

function makeClone() {
  const [home, project] = [fastFolder(), fastFolder()]
  mkdirSync(join(project, '.git'))
  return { home, project, file: join(project, 'postern.config.json') }
}

/** Runs a command whose standard input stays open and silent, as that of a terminal. */
async function runWithOpenInput(home: string, cwd: string): Promise<{ readonly code: number; readonly said: string }> {
  const child = spawn(process.execPath, [EXECUTABLE, 'agent', 'list'], { cwd, env: commandEnvironment(home) })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  const [code] = await once(child, 'close')
  return { code, said }
}

describe('the postern.config.json of a cloned repository', () => {
  it('is refused at once where it is a link, to standard input for instance', async () => {
    verifies('config.plain-file')
    const { home, project, file } = makeClone()
    symlinkSync('/proc/self/fd/0', file)
    const { code, said } = await runWithOpenInput(home, project)
    expect(code).not.toBe(0)
    expect(said).toContain('symbolic link')
  })

  it('is refused at once where it is a pipe', async () => {
    verifies('config.plain-file')
    const { home, project, file } = makeClone()
    execFileSync('mkfifo', [file])
    expect((await runWithOpenInput(home, project)).said).toContain('not a plain file of at most 64 KB')
  })

  it('is refused where it is larger than 64 KB', async () => {
    verifies('config.plain-file')
    const { home, project, file } = makeClone()
    writeFileSync(file, `{}${' '.repeat(64 * 1024)}`)
    const { exit, stderr } = await postern({ home, cwd: project }, 'agent', 'list')
    expect([exit, stderr]).toEqual([expect.any(Number), expect.stringContaining('not a plain file of at most 64 KB')])
    expect(exit).not.toBe(0)
  })
})

describe('the config.json of the home', () => {
  it('may be a link to a file that the user keeps elsewhere', async () => {
    const { home } = makeClone()
    const elsewhere = join(fastFolder(), 'postern.json')
    writeFileSync(join(home, 'config.json'), '{"limits":{"drainMessages":7}}')
    renameSync(join(home, 'config.json'), elsewhere)
    symlinkSync(elsewhere, join(home, 'config.json'))
    expect((await postern({ home }, 'config')).stdout).toContain('7')
  })
})

it('reads a config.json that begins with a byte order mark', async () => {
  const home = fastFolder()
  writeFileSync(join(home, 'config.json'), `\uFEFF${JSON.stringify({ limits: { drainMessages: 7 } })}`)
  const { stdout } = await postern({ home }, 'config', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ limits: { drainMessages: 7 } })
})

it('refuses a config.json whose store has no name', async () => {
  const home = fastFolder()
  writeFileSync(join(home, 'config.json'), JSON.stringify({ store: '' }))
  const { exit, stderr } = await postern({ home }, 'inbox', 'list')
  expect({ exit, stderr }).toMatchObject({ exit: 64, stderr: expect.stringContaining('CONFIG_INVALID') })
})
