import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { commandEnvironment, postern } from '../helpers/command.ts'
import { startServe } from '../helpers/http-server.ts'
import { startRawClient } from '../helpers/mcp/raw-client.ts'
import { usePostgres } from '../helpers/postgres-store.ts'
import { fastFolder } from '../helpers/temp.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const EXECUTABLE = join(ROOT, 'test', 'helpers', 'from-source.ts')
const PAGE = readFileSync(join(ROOT, 'docs', 'architecture', 'walks.md'), 'utf8')
const database = usePostgres()

/** What a walk needs: a home with the agents quinn and mindy, and a project to work in. */
interface Place {
  readonly home: string
  readonly project: string
  run(...words: readonly string[]): Promise<string>
}

async function makePlace(): Promise<Place> {
  const folder = fastFolder()
  const [home, project] = [join(folder, 'home'), join(folder, 'project')]
  for (const each of [home, join(project, '.git')]) mkdirSync(each, { recursive: true, mode: 0o700 })
  const place: Place = {
    home,
    project,
    run: (...words) => succeed({ home, cwd: project, executable: EXECUTABLE }, ...words),
  }
  for (const agent of ['quinn', 'mindy']) await succeed({ home, cwd: project }, 'agent', 'add', agent)
  return place
}

async function succeed(options: Parameters<typeof postern>[0], ...words: readonly string[]): Promise<string> {
  const { exit, stdout, stderr } = await postern(options, ...words)
  expect([exit, stderr]).toEqual([0, ''])
  return stdout
}

/** Takes each walk of the page. Its last process is the one that the page follows. */
const WALKS: Readonly<Record<string, (place: Place) => Promise<void>>> = {
  async 'Push on SQLite'({ run }) {
    expect(await run('inbox', 'push', '--to', 'quinn', 'hello')).toContain('Stored: msg_')
  },

  async 'Push over HTTP on PostgreSQL'({ home }) {
    const { url } = await database()
    await succeed({ home, store: url }, 'agent', 'add', 'quinn')
    const server = await startServe({ home, executable: EXECUTABLE, args: ['--store', url] })
    const answer = await server.ask('POST /api/v1/inbox', { body: { to: ['quinn'], content: 'hello' } })
    expect(answer.status).toBe(201)
    await server.stop()
  },

  async 'Hook with mail'({ home, project }) {
    await succeed({ home }, 'inbox', 'push', '--to', 'quinn', 'read this')
    const event = { session_id: 's1', hook_event_name: 'UserPromptSubmit', cwd: project, prompt: 'hi' }
    const hook = ['hook', '--host', 'claude-code', '--agent', 'quinn']
    const options = { home, cwd: project, executable: EXECUTABLE, stdin: JSON.stringify(event) }
    expect(await succeed(options, ...hook)).toContain('read this')
  },

  async 'Bus post'({ run }) {
    expect(await run('bus', 'post', '--project', 'shop', 'hello')).toContain('Posted: MSG-')
  },

  async 'The MCP tool send_message'({ home, project }) {
    const command = [process.execPath, EXECUTABLE, 'mcp', '--agent', 'quinn']
    const client = await startRawClient({ command, env: commandEnvironment(home), cwd: project })
    const { result } = await client.call('send_message', { to_agent: 'mindy', message_type: 'fyi', subject: 'hello' })
    expect(result.isError ?? false).toBe(false)
    await client.end()
  },

  async 'Handoff inherit'({ home, project, run }) {
    await succeed({ home, cwd: project }, 'handoff', 'init')
    await succeed({ home, cwd: project }, 'handoff', 'leave', '--type', 'learning', 'learn this')
    expect(await run('handoff', 'inherit', '--agent', 'quinn')).toContain('learn this')
  },
}

interface Step {
  readonly file: string
  readonly functions: readonly string[]
}

/** The rows of the table below a heading: a file, and the functions to read in it. */
function stepsOf(walk: string): readonly Step[] {
  const section = PAGE.split(/^## /m).find((each) => each.startsWith(`${walk}\n`)) ?? ''
  const rows = section.matchAll(/^\| \d+ \| `([^`]+)` \| ([^|]+) \|/gm)
  return [...rows].map(([, file = '', names = '']) => ({
    file,
    functions: [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  }))
}

it('has a table for every walk that is tested, and tests every table', () => {
  const headings = [...PAGE.matchAll(/^## (.+)$/gm)].map(([, title]) => title)
  expect(headings).toEqual(Object.keys(WALKS))
})

it.each(Object.entries(WALKS))('%s runs every function that docs/architecture/walks.md names', async (walk, take) => {
  const steps = stepsOf(walk)
  expect(steps.filter(({ file }) => !existsSync(join(ROOT, file)))).toEqual([])
  expect(steps.length).toBeGreaterThan(5)
  const place = await makePlace()
  await take(place)
  const trace: Step[] = JSON.parse(readFileSync(join(place.home, 'trace.json'), 'utf8'))
  const ran = new Map(trace.map(({ file, functions }) => [file, new Set(functions)]))
  const missed = steps.flatMap(({ file, functions }) =>
    functions.filter((name) => !ran.get(file)?.has(name)).map((name) => `${file}: ${name}`),
  )
  expect(missed).toEqual([])
})

it.each(Object.keys(WALKS))('%s names each file once, and says how many there are', (walk) => {
  const files = stepsOf(walk).map(({ file }) => file)
  expect(new Set(files).size).toBe(files.length)
  const section = PAGE.split(`\n## ${walk}\n`)[1] ?? ''
  expect(section.match(/^(\d+) files/m)?.[1]).toBe(`${files.length}`)
})
