import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { expect } from 'vitest'
import { inTurn } from '../faults/harness/in-turn.ts'
import { figures } from '../faults/harness/need.ts'
import { createChance, shuffle } from '../faults/wires/harness/chance.ts'
import { fastFolder, removeFolder } from '../helpers/temp.ts'
import { campaign } from '../helpers/tier.ts'
import { applyFlip, describeFlip, flipsOf } from './harness/flips.ts'
import { makePlace, type Place, placeIn } from './harness/place.ts'

const FLIPS = { quick: 12, full: 100, long: 6_000, most: 200 }
const AT_ONCE = 2
const SESSION = 'session-1'

campaign('"bus verify" finds a changed byte, unless every entry still reads the same', FLIPS, async (size) => {
  const home = await leaveBus()
  const good = await readBus(home)
  await flipFiles(home, 'run-agent/**/*BUS.md', size, async (copy) => {
    const verified = await placeIn(copy).run(['bus', 'verify', '--project', 'pay', '--json'])
    if (verified.exit === 1) return undefined
    expect(verified.stderr).toBe('')
    return (await readBus(copy)) === good ? undefined : 'changed, and sound'
  })
})

campaign('a changed byte in a spool loses no other entry, and its own entry never in silence', FLIPS, async (size) => {
  const home = await leaveSpool()
  await flipFiles(home, 'project/.runtime/inject-queue/*.jsonl', size, async (copy, line) => {
    const project = join(copy, 'project')
    const words = ['inbox', 'drain', '--agent', 'quinn', '--session', SESSION, '--limit', '100', '--json']
    const { exit, stdout, stderr } = await placeIn(copy).run(words, { cwd: project })
    if (exit !== 0) return `the drain ended with ${exit}: ${stderr}`
    const shown = (JSON.parse(stdout).messages as { content: string }[]).map(({ content }) => content)
    const bad = globSync(join(project, '.runtime/inject-queue/quarantine/*.jsonl')).map((path) =>
      readFileSync(path, 'utf8'),
    )
    // A changed line break makes two lines one.
    const missing = ENTRIES.filter((text, at) => at !== line && at !== line + 1 && !shown.includes(text))
    if (missing.length > 0) return `missing: ${missing}`
    return shown.length + bad.join('').split('\n# ').length > ENTRIES.length - 2 ? undefined : 'gone in silence'
  })
})

campaign(
  'a changed byte in a handoff item loses no other item, and its own item never in silence',
  FLIPS,
  async (size) => {
    const home = await leaveItems()
    await flipFiles(home, 'project/inbox/*.md', size, async (copy, _, file) => {
      const project = join(copy, 'project')
      const place = placeIn(copy)
      // A project is set up by its path, and this copy has another one.
      await place.run(['handoff', 'init'], { cwd: project })
      const words = ['handoff', 'inherit', '--agent', 'quinn', '--max-tokens', '20000', '--json']
      const { exit, stdout, stderr } = await place.run(words, { cwd: project })
      if (exit !== 0) return `inherit ended with ${exit}: ${stderr}`
      const { items, waiting, refused } = JSON.parse(stdout) as Inherited
      const told = [...items, ...waiting, ...refused].map(({ name }) => name)
      const kept = globSync(join(project, 'inbox/**/*.md')).map((path) => basename(path))
      const missing = ENTRIES.filter((_text, at) => !items.some(({ body }) => body.includes(ENTRIES[at] as string)))
      if (missing.length > 1) return `missing: ${missing}`
      return told.includes(basename(file)) || kept.includes(basename(file)) ? undefined : 'gone in silence'
    })
  },
)

interface Inherited {
  readonly items: readonly { readonly name: string; readonly body: string }[]
  readonly waiting: readonly { readonly name: string }[]
  readonly refused: readonly { readonly name: string }[]
}

const ENTRIES = [
  'alpha has landed',
  'beta waits for review',
  'gamma fails on Tuesdays',
  'delta needs a key',
  'epsilon is done',
]

/** Changes one byte at a time in the files of a home, each time in a new copy, and lists what is wrong then. */
async function flipFiles(
  home: string,
  pattern: string,
  size: number,
  faultIn: (copy: string, line: number, file: string) => Promise<string | undefined>,
): Promise<void> {
  const seed = Math.floor(Math.random() * 2 ** 32)
  const random = createChance(seed)
  const files = globSync(join(home, pattern))
  expect(files).not.toEqual([])
  const perPart = Math.ceil(size / files.length)
  const all = files.flatMap((file) => flipsOf(file, { partBytes: 2 ** 30, perPart, random }))
  const flips = shuffle(all, random).slice(0, size)
  const faults = await inTurn(flips, AT_ONCE, async (flip) => {
    const copy = join(fastFolder(), 'home')
    cpSync(home, copy, { recursive: true, verbatimSymlinks: true })
    applyFlip(join(copy, relative(home, flip.file)), flip)
    const line = readFileSync(flip.file).subarray(0, flip.offset).toString('latin1').split('\n').length - 1
    const fault = await faultIn(copy, line, flip.file)
    removeFolder(copy)
    return fault === undefined ? [] : [`${fault}: ${describeFlip(flip)}`]
  })
  figures('flips', `${flips.length} in ${pattern}, seed ${seed}, ${faults.flat().length} faults`)
  expect(faults.flat()).toEqual([])
}

async function leaveBus(): Promise<string> {
  const place = await makePlace()
  const post = (...words: string[]) => inBus(place, ['bus', 'post', '--project', 'pay', ...words])
  await post('--type', 'FACT', 'pay 100 to Ann')
  await post('--type', 'ISSUE', '--issue', 'ISSUE-1', 'The total is wrong.')
  await post(
    '--type',
    'INFO',
    '--meta',
    'status=done',
    '--parent',
    'ISSUE-1:depends_on',
    '# A heading\n\n---\n\n| a | b |',
  )
  await post('--type', 'QUESTION', 'Is it 100?')
  return place.home
}

async function readBus(home: string): Promise<string> {
  return JSON.stringify(await inBus(placeIn(home), ['bus', 'read', '--project', 'pay', '--tail', '0']))
}

function inBus(place: Place, words: readonly string[]): Promise<unknown> {
  return place.ask(...words)
}

async function leaveSpool(): Promise<string> {
  const { home } = await makePlace()
  const spool = join(makeProject(home), '.runtime', 'inject-queue', `${SESSION}.jsonl`)
  mkdirSync(dirname(spool), { recursive: true, mode: 0o700 })
  for (const [at, content] of ENTRIES.entries()) {
    const entry = { id: `${at}${at}${at}-${content.slice(0, 4)}`, type: 'alert', source: 'ci', content }
    appendFileSync(spool, `${JSON.stringify(entry)}\n`, { mode: 0o600 })
  }
  return home
}

async function leaveItems(): Promise<string> {
  const place = await makePlace()
  const cwd = makeProject(place.home)
  await place.run(['handoff', 'init'], { cwd })
  for (const text of ENTRIES) {
    const { exit, stderr } = await place.run(['handoff', 'leave', '--type', 'learning', text], { cwd })
    expect(exit, stderr).toBe(0)
  }
  return place.home
}

function makeProject(home: string): string {
  const project = join(home, 'project')
  mkdirSync(project)
  execFileSync('git', ['init', '--quiet'], { cwd: project })
  expect(existsSync(join(project, '.git'))).toBe(true)
  return project
}
