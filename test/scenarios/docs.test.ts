import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands/commands.ts'
import { COMMON_OPTIONS } from '../../src/cli/shell/command.ts'
import { EXECUTABLE, withoutChance } from '../helpers/command.ts'
import { codeBlocks, codeIn, type DocumentedCommand, headingIds, linksIn, runnableIn } from '../helpers/documents.ts'
import { runInShell, runWarmInShell } from '../helpers/shell.ts'
import { fastFolder } from '../helpers/temp.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PAGES = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md'], { cwd: ROOT }).sort()
/** Its command exists only in the copy of the tree that `adding-an-operation.test.ts` makes. */
const TOY_PAGE = 'docs/architecture/adding-an-operation.md'
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

describe('the examples', () => {
  it('two agents in one program talk, and one has the proof', async () => {
    const { exit, stdout, stderr } = await runInShell({ home: fastFolder() }, 'node "$ROOT/examples/sdk/two-agents.ts"')
    expect(exit, stderr).toBe(0)
    expect(stdout.trimEnd().split('\n')).toEqual([
      'mindy asked; asking again is a duplicate: true',
      'quinn reads: Is the build green?',
      'quinn drains again: 0 messages',
      'mindy has mail: 1',
      'quinn: stored → offered → printed → seen → acted',
      'quinn has dealt with it.',
    ])
  })

  it('a CI step tells an agent once, however often it is repeated', async () => {
    const home = fastFolder()
    const notify = (words: string) =>
      runInShell({ home }, `POSTERN="node ${EXECUTABLE}" sh "$ROOT/examples/ci/notify.sh" ${words}`)
    expect(await notify('quinn 42 failed')).toMatchObject({ exit: 5 })
    await runInShell({ home }, 'postern agent add quinn')
    expect((await notify('quinn 42 failed "It failed: -x"')).stdout).toMatch(/^Stored: msg_\S+ for quinn\n$/)
    expect((await notify('quinn 42 failed "It failed: -x"')).stdout).toMatch(/^Already stored: msg_\S+ for quinn\n$/)
    expect((await notify('quinn 42 passed')).stdout).toMatch(/^Stored: /)
    expect(await notify('quinn 42 perhaps')).toMatchObject({ exit: 64 })
    expect(await notify('quinn')).toMatchObject({ exit: 64 })
    expect((await runInShell({ home }, 'postern inbox drain --agent quinn')).stdout).toContain('│ It failed: -x\n')
  })
})

describe('the commands of the guides', () => {
  const GUIDES = [
    'README.md',
    'docs/guides/bus.md',
    'docs/guides/first-steps.md',
    'docs/guides/gates-and-decisions.md',
    'docs/guides/handoff.md',
    'docs/guides/ledger.md',
    'docs/guides/plans.md',
    'docs/guides/spaces.md',
  ]

  /** Pages whose every line goes to a shell and to the executable. */
  const IN_SHELL = ['README.md', 'docs/guides/first-steps.md']

  it.each(GUIDES)('%s: run in order and do what is shown', async (page) => {
    const commands = runnableIn(read(page))
    expect(commands.length).toBeGreaterThanOrEqual(8)
    await runAll(commands, IN_SHELL.includes(page) ? runInShell : runWarmInShell)
  })
})

/** Whose ids a page leaves out, or shows as somebody else got them: what was last stored for quinn, posted, set up, or asked. */
const IDS: Readonly<Record<string, RegExp>> = {
  msg: /^(?:Stored|Posted): (msg_\S+) (?:for .*quinn|as number)/m,
  gate: /^Open: (gate_\S+) holds /m,
  dec: /^Asked: (dec_\S+) to /m,
}

/** A page may show the beginning of an id. */
function whole(output: string): string {
  return output.replaceAll(/\b(msg|gate|dec)_[0-9A-Z]*…/g, '$1_ID').replaceAll('MSG-…', 'MSG-ID')
}

/** Runs them in one empty home. */
async function runAll(commands: readonly DocumentedCommand[], run: typeof runInShell): Promise<void> {
  const home = fastFolder()
  const history = 'git init -q . && git -c user.name=x -c user.email=x@example commit -q --allow-empty -m "Begin"'
  expect(await runInShell({ home }, history)).toMatchObject({ exit: 0 })
  const last: Record<string, string> = {}
  for (const { line, exit, output } of commands) {
    // Somebody writes while the page waits.
    if (/inbox wait/.test(line)) await runInShell({ home }, 'postern inbox push --to quinn "Wake up"')
    const filled = line.replaceAll(
      /\b(msg|gate|dec)_(?:[0-9A-Z]*…|[0-9A-Z]{26})/g,
      (id, kind: string) => last[kind] ?? id,
    )
    const outcome = await run({ home }, filled)
    expect({ line, exit: outcome.exit, stderr: exit === 0 ? outcome.stderr : '' }).toEqual({ line, exit, stderr: '' })
    if (output !== '') expect(withoutChance(outcome.stdout.trimEnd())).toBe(withoutChance(whole(output)))
    for (const [kind, said] of Object.entries(IDS)) last[kind] = said.exec(outcome.stdout)?.[1] ?? last[kind] ?? ''
  }
}

describe('the pages', () => {
  it('link to nothing that is not there', () => {
    const broken = PAGES.flatMap((page) =>
      linksIn(read(page)).flatMap((link) => {
        const [path = '', anchor] = link.split('#')
        const target = path === '' ? page : relative(ROOT, join(ROOT, dirname(page), path))
        if (!existsSync(join(ROOT, target))) return [`${page}: ${link}`]
        const isThere = anchor === undefined || headingIds(read(target)).includes(anchor)
        return isThere ? [] : [`${page}: ${link}`]
      }),
    )
    expect(broken).toEqual([])
  })

  it('name no command and no option that does not exist', () => {
    expect(
      PAGES.filter((page) => page !== TOY_PAGE).flatMap((page) =>
        codeIn(read(page)).flatMap((code) => unknownIn(code).map((found) => `${page}: ${found}`)),
      ),
    ).toEqual([])
  })

  it('are caught where they do', () => {
    expect(unknownIn('npx postern inbox pusj --to quinn x')).toEqual(['postern inbox pusj'])
    expect(unknownIn('postern inbox push --too quinn x | postern agent list')).toEqual(['postern inbox push --too'])
    expect(unknownIn('postern token create agent:quinn # once')).toEqual(['postern token create agent:quinn'])
    expect(linksIn('[a](b.md#c) [d](https://e)')).toEqual(['b.md#c'])
    expect(headingIds('## What works, today')).toEqual(['what-works-today'])
    expect(codeBlocks('```bash\npostern x\n```')).toEqual([{ language: 'bash', text: 'postern x' }])
  })
})

const BUILT_IN = ['help']

/** The longest first: `config trust` comes before `config`. */
const BY_LENGTH = COMMANDS.toSorted((a, b) => b.path.length - a.path.length)

/** What a piece of code calls that is no command, or has no such option. */
function unknownIn(code: string): string[] {
  return [...code.matchAll(/(?<![\w./-])postern ([^\n|;&)`]*)/g)].flatMap(([, rest = '']) => {
    const words = rest.split(/\s+/)
    const end = words.findIndex((word) => !/^[a-z]+$/.test(word))
    const path = end < 0 ? words : words.slice(0, end)
    if (path.length === 0 || BUILT_IN.includes(path[0] ?? '')) return []
    const command = BY_LENGTH.find((each) => `${path.join(' ')} `.startsWith(`${each.path} `))
    if (!command) {
      const isGroup = COMMANDS.some((each) => each.path.startsWith(`${path.join(' ')} `))
      return isGroup ? [] : [`postern ${path.join(' ')}`]
    }
    const known = [...(command.options ?? []), ...COMMON_OPTIONS].flatMap(({ name, aliases = [] }) => [
      name,
      ...aliases,
    ])
    const options = [...rest.replace(/\s(?:--\s|#|"?\$\().*/, '').matchAll(/(?:^|\s)--([a-z-]+)/g)].map(
      ([, name = '']) => name,
    )
    const surplus = command.operands === undefined ? /^\w\S*/.exec(rest.slice(command.path.length).trim()) : null
    return [...options.filter((name) => !known.includes(name)).map((name) => `--${name}`), ...(surplus ?? [])].map(
      (word) => `postern ${command.path} ${word}`,
    )
  })
}
