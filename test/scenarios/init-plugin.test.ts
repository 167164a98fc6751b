import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { installLauncher } from '../../src/hooks/install/install-launcher.ts'
import { formatLauncher } from '../../src/hooks/install/launcher.ts'
import { CLAUDE_CODE } from '../../src/hooks/install/targets.ts'
import { VERSION } from '../../src/model/version.ts'
import { temporaryFolder } from '../helpers/temp.ts'

const PLUGIN = fileURLToPath(new URL('../../dist/plugin/claude-code', import.meta.url))
const readJson = (path: string) => JSON.parse(readFileSync(join(PLUGIN, path), 'utf8'))

/** Runs the plugin's script as Claude Code does, in a home with a launcher or without. */
function runScript(word: string, env: Readonly<Record<string, string>>, { hasLauncher = true, path = '' } = {}) {
  const home = temporaryFolder()
  if (hasLauncher) writeProgram(join(home, '.postern', 'bin', 'hook'), 'launcher')
  return runLine(`sh "\${CLAUDE_PLUGIN_ROOT}/hooks/postern.sh" ${word}`, home, { path, env })
}

interface Surroundings {
  readonly path?: string
  readonly env?: Readonly<Record<string, string>>
}

function runLine(line: string, home: string, { path = '', env }: Surroundings) {
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', line], {
    env: { PATH: `${path}:/usr/bin:/bin`, HOME: home, CLAUDE_PLUGIN_ROOT: PLUGIN, ...env },
    input: '{}',
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

/** A program that says its name and its arguments. */
function writeProgram(path: string, name: string, code = 0): void {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, `#!/bin/sh\nprintf '${name}'\nfor word in "$@"; do printf '<%s>' "$word"; done\nexit ${code}\n`)
  chmodSync(path, 0o755)
}

describe('the Claude Code plugin', () => {
  it('has this version, asks for the agent, and brings a skill', () => {
    expect(readJson('.claude-plugin/plugin.json')).toMatchObject({
      name: 'postern',
      version: VERSION,
      userConfig: { agent: { type: 'string', required: true } },
    })
    expect(readFileSync(join(PLUGIN, 'skills/postern/SKILL.md'), 'utf8')).toMatch(
      /^---\nname: postern\ndescription: .+\n---\n/,
    )
  })

  it('hooks into the same events as init, in the same manner', () => {
    const { hooks } = readJson('hooks/hooks.json') as { hooks: Record<string, { hooks: Record<string, unknown>[] }[]> }
    expect(Object.keys(hooks)).toEqual(Object.keys(CLAUDE_CODE.events))
    for (const [event, forms] of Object.entries(CLAUDE_CODE.events)) {
      const wanted = forms.map(({ word, before, after }) => {
        const command = ['sh "${CLAUDE_PLUGIN_ROOT}/hooks/postern.sh"', ...(word === null ? [] : [word])].join(' ')
        return { ...before, command, ...after }
      })
      expect(hooks[event]).toEqual([{ hooks: wanted }])
    }
  })

  it('hands a hook on to the launcher, for the agent that was set or the one of the session', () => {
    const set = { CLAUDE_PLUGIN_OPTION_AGENT: 'quinn' }
    expect(runScript('', set).stdout).toBe('launcher<claude-code><quinn><>')
    expect(runScript('full', set).stdout).toBe('launcher<claude-code><quinn><full>')
    expect(runScript('full', { ...set, POSTERN_AGENT: 'mindy' }).stdout).toBe('launcher<claude-code><mindy><full>')
    expect(runScript('full', { CLAUDE_PLUGIN_OPTION_AGENT: '$(id) x' }).stdout).toBe(
      'launcher<claude-code><$(id) x><full>',
    )
  })

  it('asks the postern on the path where there is no launcher, and says nothing where there is neither', () => {
    const path = temporaryFolder()
    writeProgram(join(path, 'postern'), 'postern')
    const env = { CLAUDE_PLUGIN_OPTION_AGENT: 'quinn' }
    expect(runScript('rewake', env, { hasLauncher: false, path }).stdout).toBe(
      'postern<hook><--host><claude-code><--agent><quinn><--rewake>',
    )
    expect(runScript('full', env, { hasLauncher: false })).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  it('never refuses an event because the postern on the path fails, and wakes only where that says so', () => {
    const path = temporaryFolder()
    const run = (word: string, code: number) => {
      writeProgram(join(path, 'postern'), 'postern', code)
      return runScript(word, {}, { hasLauncher: false, path }).status
    }
    expect([run('full', 2), run('', 2), run('full', 64), run('', 1), run('rewake', 69)]).toEqual([0, 0, 0, 0, 0])
    expect(run('rewake', 2)).toBe(2)
  })

  it('starts the tools by what the launcher was written for, else by the postern on the path, else says why not', () => {
    const { command, args } = readJson('.mcp.json').mcpServers.postern as { command: string; args: string[] }
    const line = [command, ...args.map((word) => `"${word}"`)].join(' ')
    const home = temporaryFolder()
    const path = temporaryFolder()
    const run = (surroundings: Surroundings) => runLine(line, home, surroundings)
    const env = { CLAUDE_PLUGIN_OPTION_AGENT: 'quinn' }
    const missing = 'postern: not installed. Install it: npm install -g postern\n'
    expect(run({ env })).toEqual({ status: 1, stdout: '', stderr: missing })

    writeProgram(join(path, 'postern'), 'postern')
    expect(run({ env, path }).stdout).toBe('postern<mcp><--agent><quinn>')
    expect(run({ env: { ...env, POSTERN_AGENT: 'mindy' }, path }).stdout).toBe('postern<mcp><--agent><mindy>')
    expect(run({ path }).stdout).toBe('postern<mcp>')

    const program = join(home, "it's postern.cjs")
    writeFileSync(program, '')
    writeProgram(join(home, 'a node'), 'node')
    const facts = { node: join(home, 'a node'), program, home: join(home, '.postern') }
    mkdirSync(facts.home)
    installLauncher(facts)
    expect(run({ env, path }).stdout).toBe(`node<${program}><mcp><--agent><quinn>`)
    for (const name of readdirSync(join(facts.home, 'bin'))) rmSync(join(facts.home, 'bin', name))
    writeFileSync(join(facts.home, 'bin', 'hook'), formatLauncher(facts))
    expect(run({ env, path }).stdout, 'by the one in shell alone').toBe(`node<${program}><mcp><--agent><quinn>`)
  })
})
