import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { commandEnvironment, postern } from '../helpers/command.ts'
import { startServe } from '../helpers/http-server.ts'
import { startRawClient } from '../helpers/mcp/raw-client.ts'
import { fastFolder } from '../helpers/temp.ts'
import { FULL } from '../helpers/tier.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGE = readFileSync(join(ROOT, 'docs', 'architecture', 'adding-an-operation.md'), 'utf8')
const MOST_SOURCES = 10

const run = promisify(execFile)

/** One change that the page describes: lines for a new file, or beside or instead of one line of a file. */
interface Step {
  readonly path: string
  readonly where: 'create' | 'after' | 'before' | 'replace'
  readonly line: string
  readonly text: string
}

/**
 * A step is a sentence that ends with a colon, then a block of code:
 *
 *   Create `path`:
 *   In `path`, after the line `…`:
 *   In `path`, before the line `…`:
 *   In `path`, replace the line `…` with:
 */
function stepsOf(page: string): readonly Step[] {
  const step =
    /^(?:Create|In) `([^`]+)`(?:, (after|before|replace) the line (`{1,2}) ?(.*?) ?\3(?: with)?)?:\n\n(`{3,})\w+\n([\s\S]*?)^\5$/gm
  return [...page.matchAll(step)].map(([, path = '', where, , line = '', , text = '']) => ({
    path,
    where: (where as Step['where'] | undefined) ?? 'create',
    line,
    text,
  }))
}

/** Does what a step says. The line must stand in the file exactly once. */
function take(root: string, { path, where, line, text }: Step): void {
  const file = join(root, path)
  if (where === 'create') {
    if (existsSync(file)) throw new Error(`${path} exists already`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return
  }
  const lines = readFileSync(file, 'utf8').split('\n')
  const found = lines.flatMap((each, at) => (each.trim() === line ? [at] : []))
  const [at = 0] = found
  if (found.length !== 1) throw new Error(`${path} has ${found.length} lines that are ${line}`)
  const begin = where === 'after' ? at + 1 : at
  lines.splice(begin, where === 'replace' ? 1 : 0, ...text.replace(/\n$/, '').split('\n'))
  writeFileSync(file, lines.join('\n'))
}

const LEFT_OUT = ['.git', '.cache', 'node_modules', 'dist']

/** A copy of the tree after all steps of the page. */
function copyWithOperation(): string {
  const root = fastFolder()
  for (const name of readdirSync(ROOT)) {
    if (!LEFT_OUT.includes(name)) cpSync(join(ROOT, name), join(root, name), { recursive: true })
  }
  // A build links its executable into `node_modules/.bin`, so the copy has a folder of its own without that.
  mkdirSync(join(root, 'node_modules'))
  for (const name of readdirSync(join(ROOT, 'node_modules')).filter((each) => each !== '.bin'))
    symlinkSync(join(ROOT, 'node_modules', name), join(root, 'node_modules', name))
  for (const step of stepsOf(PAGE)) take(root, step)
  return root
}

const node = (root: string, ...words: readonly string[]) => run(process.execPath, words, { cwd: root })

describe('docs/architecture/adding-an-operation.md', () => {
  it('lists every source file that it changes, at most ten', () => {
    const listed = [...PAGE.matchAll(/^\| \d+ \| `([^`]+)` \|/gm)].map(([, path = '']) => path)
    const changed = stepsOf(PAGE).map(({ path }) => path)
    expect(new Set(changed.filter((path) => path.startsWith('src/')))).toEqual(new Set(listed))
    expect(listed.length).toBeLessThanOrEqual(MOST_SOURCES)
  })

  it('leaves no block of code to the reader', () => {
    const blocks = PAGE.replaceAll(/^````md[\s\S]*?^````$/gm, '```md\n```').match(/^```\w+$/gm) ?? []
    expect(stepsOf(PAGE)).toHaveLength(blocks.length)
  })

  it('refuses a line that is not in its file', () => {
    const root = fastFolder()
    writeFileSync(join(root, 'a.ts'), 'one\ntwo\n')
    const step = { path: 'a.ts', where: 'after', text: 'new\n' } as const
    expect(() => take(root, { ...step, line: 'three' })).toThrow('a.ts has 0 lines that are three')
    take(root, { ...step, line: 'one' })
    expect(readFileSync(join(root, 'a.ts'), 'utf8')).toBe('one\nnew\ntwo\n')
  })

  it('adds an operation to the command line, HTTP, OpenAPI, the client and MCP', FULL, async () => {
    const root = copyWithOperation()
    await node(root, join('scripts', 'build.mjs'), '--no-types', '--no-web')
    const home = fastFolder()
    const executable = join(root, 'bin', 'postern.cjs')
    const command = (...words: readonly string[]) => postern({ home, executable, hasOwnCache: true }, ...words)

    expect(await command('inbox', 'count', '--help')).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('Count the messages that wait for an agent.'),
    })
    await command('agent', 'add', 'quinn')
    await command('inbox', 'push', '--to', 'quinn', '--priority', '0', 'at once')
    await command('inbox', 'push', '--to', 'quinn', 'some time')
    const counted = '2 messages pending, 1 urgent.'
    expect(await command('inbox', 'count', '--agent', 'quinn')).toMatchObject({ exit: 0, stdout: `${counted}\n` })

    const server = await startServe({ home, executable })
    const count = { pending: 2, urgent: 1 }
    expect(await server.ask('GET /api/v1/inbox/count?agent=quinn')).toMatchObject({ status: 200, body: count })
    const { body: api } = await server.ask('GET /openapi.json')
    expect(api.paths['/api/v1/inbox/count'].get).toMatchObject({ operationId: 'inbox.count' })
    const script = `
      const { connectPostern } = await import(process.argv[1])
      const postern = await connectPostern({ url: process.argv[2], token: process.argv[3] })
      console.log(JSON.stringify(await postern.inbox.count({ agent: 'quinn' })))
      await postern.close()`
    const library = join(root, 'dist', 'index.js')
    const { stdout } = await node(root, '--input-type=module', '-e', script, library, server.url, server.token)
    expect(JSON.parse(stdout)).toEqual(count)
    await server.stop()

    const words = [process.execPath, executable, 'mcp', '--agent', 'quinn', '--tools', 'seeds']
    const client = await startRawClient({ command: words, env: commandEnvironment(home), cwd: home })
    const { result } = await client.call('inbox_count')
    expect(result).toMatchObject({ structuredContent: count, content: [{ text: expect.stringContaining(counted) }] })
    await client.end()
  })

  it('type-checks, keeps the rules of the house, and passes its own test', FULL, async () => {
    const root = copyWithOperation()
    const bin = (name: string) => join(ROOT, 'node_modules', name)
    await node(root, bin('typescript/bin/tsc'), '-p', '.', '--noEmit')
    await node(root, bin('@biomejs/biome/bin/biome'), 'check', ...new Set(stepsOf(PAGE).map(({ path }) => path)))
    const tests = ['test/house/faces.test.ts', 'test/house/tools.test.ts', 'test/house/house.test.ts']
    await node(root, bin('vitest/vitest.mjs'), 'run', ...tests, 'test/conformance/count.test.ts')
  })
})
