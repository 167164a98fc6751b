import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { EXECUTABLE, type Outcome } from './command.ts'
import { shareCompiledCode } from './compiled-code.ts'
import { HASTY_HOST_ENV } from './patience.ts'
import { fastFolder } from './temp.ts'
import { warmPostern, warmPosternJson } from './warm-command.ts'

/**
 * A process that calls hooks as an agent's host does: each is a child of its own, with a shell between, its event on
 * stdin and its output in pipes. They run side by side. No hook is ever late, and watchers look often.
 */
export interface ScriptedHost {
  readonly home: string
  readonly pid: number
  /** Calls the hook for an event of the session and waits for its answer. */
  fire(event: string, more?: Readonly<Record<string, unknown>>): Promise<Outcome>
  /** Starts the watcher, as the host does beside the hook of an event. */
  watch(event: string, env?: Readonly<Record<string, string>>): Watcher
  /** Any words and any input; an input of null leaves stdin open. */
  run(words: readonly string[], input: string | null, env?: Readonly<Record<string, string>>): Watcher
  ask<T>(...args: readonly string[]): Promise<T>
  push(text: string, priority?: number): Promise<string>
  kill(): void
}

export interface Watcher {
  readonly ended: Promise<Outcome>
  signal(name: NodeJS.Signals): void
}

const PROGRAM = `
const { spawn } = require('node:child_process')
const children = new Map()
const say = (value) => console.log(JSON.stringify(value))
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, words, input, env, signal } = JSON.parse(line)
  if (signal) return process.kill(-children.get(id).pid, signal)
  const child = spawn('sh', ['-c', 'trap : INT TERM HUP; "$@"; exit $?', 'sh', ...words], { env: { ...process.env, ...env }, detached: true })
  children.set(id, child)
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) child[name].on('data', (chunk) => { said[name] += chunk })
  child.stdin.on('error', () => {})
  if (input !== null) child.stdin.end(input)
  child.on('close', (exit) => say({ id, exit, ...said }))
})`

export interface HostOptions {
  readonly host: 'claude-code' | 'codex'
  readonly sessionId?: string
  /** The home of another host, to share its store. */
  readonly home?: string
  readonly path?: string
  /** What its process is called; by default as the host's program is. */
  readonly program?: string
}

/** The host, its home with the agents quinn and justin, and everything it has started end with the test. */
export async function startScriptedHost(options: HostOptions): Promise<ScriptedHost> {
  const { host, sessionId = 'session-1' } = options
  const home = options.home ?? fastFolder()
  const project = join(home, 'project')
  mkdirSync(project, { recursive: true })
  shareCompiledCode(home)
  const child = spawn(process.execPath, ['-e', PROGRAM], {
    // By its name it is known.
    argv0: options.program ?? (host === 'codex' ? 'codex' : 'claude'),
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: project,
    env: { PATH: options.path ?? process.env['PATH'] ?? '', HOME: home, POSTERN_HOME: home, ...HASTY_HOST_ENV },
  })
  // A host that was killed takes no more events.
  child.stdin!.on('error', () => {})
  const kill = () => void child.kill('SIGKILL')
  onTestFinished(kill)
  const waiting = new Map<number, (outcome: Outcome) => void>()
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const { id, ...outcome } = JSON.parse(line)
    waiting.get(id)?.(outcome)
  })
  const tell = (value: object) => void child.stdin!.write(`${JSON.stringify(value)}\n`)
  let calls = 0

  function run(words: readonly string[], input: string | null, env = {}): Watcher {
    const id = ++calls
    const ended = new Promise<Outcome>((resolve) => waiting.set(id, resolve))
    tell({ id, words: [process.execPath, EXECUTABLE, ...words], input, env })
    return {
      ended,
      signal: (signal) => tell({ id, signal }),
    }
  }

  const hook = ['hook', '--host', host, '--agent', 'quinn']
  let prompts = 0
  const event = (name: string, more = {}) =>
    JSON.stringify({
      session_id: sessionId,
      hook_event_name: name,
      cwd: project,
      transcript_path: '/nowhere',
      ...(name === 'UserPromptSubmit' && {
        prompt: 'go on',
        prompt_id: `prompt-${++prompts}`,
        turn_id: `turn-${prompts}`,
      }),
      ...(name === 'SessionStart' && { source: 'startup' }),
      ...(name === 'Stop' && { stop_hook_active: false }),
      ...more,
    })

  if (options.home === undefined) {
    await warmPostern({ home }, 'agent', 'add', 'quinn')
    await warmPostern({ home }, 'agent', 'add', 'justin', '--kind', 'human')
  }
  return {
    home,
    pid: child.pid!,
    run,
    kill,
    fire: (name, more) => run(hook, event(name, more)).ended,
    watch: (name, env) => run([...hook, '--rewake'], event(name), env),
    ask: (...args) => warmPosternJson({ home }, ...args),
    async push(text, priority = 2) {
      const words = ['inbox', 'push', '--to', 'quinn', '--priority', `${priority}`, text]
      return (await warmPosternJson<{ id: string }>({ home }, ...words)).id
    },
  }
}
