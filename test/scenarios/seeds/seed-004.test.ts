import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { HandoffListing, Inheritance } from '../../../src/model/handoff/handoff.ts'
import type { HandoffItem } from '../../../src/model/handoff/item.ts'
import { estimateTokens } from '../../../src/render/tokens.ts'
import { fire } from '../../faults/harness/hook.ts'
import { postern, posternJson } from '../../helpers/command.ts'
import { warmPostern } from '../../helpers/warm-command.ts'
import { itemsIn, makeProject, type Project, processedIn, runScript, unquote } from '../handoff/project.ts'
import { CHECK, CLEAN, CREATE, EXAMPLE_1, EXAMPLE_3, FILE, INFRASTRUCTURE, INHERIT } from '../handoff/seed-scripts.ts'
import { makeFastPlace } from '../place.ts'
import { verifies } from '../verifies.ts'

const NOTHING = '◈ INHERIT\nNo inheritance items\n'
const USUAL_TOKENS = 500
const EMPTY_TOKENS = 50
const DAY_MS = 24 * 60 * 60 * 1000

/** What is shown, without the fence and the line that says what it costs. */
async function inherit(place: Project, ...words: readonly string[]): Promise<{ shown: string; cost: number }> {
  const { stdout } = await place.handoff('inherit', ...words)
  const text = unquote(stdout)
  const [, shown = text, cost = '0'] = /^(.*\n)Cost: about (\d+) tokens\n$/s.exec(text) ?? []
  return { shown, cost: Number(cost) }
}

const put = ({ project }: Project, name: string, text: string) => writeFileSync(join(project, 'inbox', name), text)
const listOf = async (place: Project, ...words: readonly string[]) =>
  JSON.parse((await place.handoff('list', ...words, '--json')).stdout) as HandoffListing

/** A file of the seed's format. */
const fileOf = (item: { from: string; type: string; priority: string; created: string }, body: string) =>
  `---\nfrom_session: ${item.from}\ntype: ${item.type}\npriority: ${item.priority}\ncreated: ${item.created}\n---\n\n${body}\n`

describe('the folders of seed 004', () => {
  it('are those that its migration makes', async () => {
    verifies('S004.seed.folders')
    const theirs = await makeFastPlace()
    runScript(theirs, INFRASTRUCTURE)
    const ours = await makeProject()
    const lay = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()
    const lines = (folder: string) => readFileSync(join(folder, '.gitignore'), 'utf8').trimEnd().split('\n')
    expect(lay(ours.project)).toEqual(expect.arrayContaining(lay(theirs.project)))
    expect(lines(ours.project)).toEqual(expect.arrayContaining(lines(theirs.project)))

    const before = lines(theirs.project)
    const { root } = await posternJson<{ root: string }>({ home: theirs.home, cwd: theirs.project }, 'handoff', 'init')
    expect(root).toBe(theirs.project)
    const after = lines(theirs.project)
    expect(after.slice(0, before.length)).toEqual(before)
    expect(new Set(after).size).toBe(after.length)
    expect(await posternJson({ home: theirs.home, cwd: theirs.project }, 'handoff', 'init')).toMatchObject({ made: [] })
  })

  it('are enough once a person has set them up on this machine', async () => {
    verifies('S004.seed.folders', 'S004.seed.examples', 'S004.set-up')
    const place = await makeFastPlace()
    runScript(place, INFRASTRUCTURE)
    runScript(place, EXAMPLE_1)
    const told = '◈ INHERIT\n1 item waits; run `postern handoff init`'
    expect((await fire(place, 'SessionStart')).context).toBe(told)
    const run = (word: string) => postern({ home: place.home, cwd: place.project }, 'handoff', word)
    expect((await run('inherit')).stdout).toBe(`${told}\n`)
    await run('init')
    const { stdout } = await run('inherit')
    expect(unquote(stdout)).toContain('[learning from 2026-01-10-auth-implementation]\nJWT refresh token rotation')
    expect((await fire(place, 'SessionStart', { session: 'ses-2' })).context).toBe(NOTHING.trimEnd())
  })
})

describe('the examples of seed 004', () => {
  it('1: a learning is inherited by the next session, and kept', async () => {
    verifies('S004.seed.examples', 'S004.seed.cost')
    const place = await makeProject()
    runScript(place, EXAMPLE_1)
    const written = readFileSync(join(place.project, 'inbox', '1736528400-learning.md'))
    const { shown, cost } = await inherit(place)
    expect(shown).toBe(
      [
        '◈ INHERIT',
        '[learning from 2026-01-10-auth-implementation]',
        'JWT refresh token rotation (new token per refresh, invalidate old) superior ',
        'to long-lived tokens. Requires hash storage, family IDs, rate limiting.',
        '',
      ].join('\n'),
    )
    expect(cost).toBeLessThanOrEqual(150)
    expect(itemsIn(place)).toEqual([])
    expect(readFileSync(join(place.project, 'inbox', 'processed', '1736528400-learning.md'))).toEqual(written)
    expect((await inherit(place)).shown).toBe(NOTHING)
  })

  it('1: and by its hook', async () => {
    verifies('S004.seed.examples')
    const place = await makeProject()
    runScript(place, EXAMPLE_1)
    const { context } = await fire(place, 'SessionStart')
    expect(unquote(context)).toMatch(
      /^◈ INHERIT\n\[learning from 2026-01-10-auth-implementation\]\nJWT refresh token rotation/,
    )
    await fire(place, 'UserPromptSubmit')
    expect(processedIn(place)).toEqual(['1736528400-learning.md'])
  })

  it('2: an empty inbox says so, for next to nothing', async () => {
    verifies('S004.seed.examples', 'S004.seed.cost')
    const place = await makeProject()
    const { stdout } = await place.handoff('inherit')
    expect(stdout).toBe(NOTHING)
    const { context } = await fire(place, 'SessionStart')
    expect(`${context}\n`).toBe(NOTHING)
    const costs = [stdout, context].map(estimateTokens)
    expect(Math.max(...costs)).toBeLessThanOrEqual(EMPTY_TOKENS)
    const inheritance = JSON.parse((await place.handoff('inherit', '--json')).stdout) as Inheritance
    expect(inheritance).toMatchObject({ id: null, items: [], waiting: [] })
    expect(inheritance.tokens).toBeLessThanOrEqual(EMPTY_TOKENS)
  })

  it('3: several items are shown in one go', async () => {
    verifies('S004.seed.examples', 'S004.seed.cost')
    const place = await makeProject()
    const auth = { from: '2026-01-10-auth', priority: 'high' }
    const thread = { from: '2026-01-09-migration', type: 'thread', priority: 'medium', created: '2026-01-09T10:00:00Z' }
    put(place, '1767952800-thread.md', fileOf(thread, 'Database migration paused at step 3, resume needed'))
    put(
      place,
      '1768069801-caution.md',
      fileOf(
        { ...auth, type: 'caution', created: '2026-01-10T18:30:01Z' },
        'Rate limiting on refresh endpoint required',
      ),
    )
    put(
      place,
      '1768069800-learning.md',
      fileOf({ ...auth, type: 'learning', created: '2026-01-10T18:30:00Z' }, 'JWT rotation pattern'),
    )
    const { shown, cost } = await inherit(place)
    expect(shown).toBe(`◈ INHERIT\n${EXAMPLE_3.replaceAll(']: ', ']\n')}\n`)
    expect(cost).toBeLessThanOrEqual(300)
    expect(processedIn(place)).toHaveLength(3)
    const { averageTokens, inheritances } = await listOf(place, '--processed')
    expect([inheritances, averageTokens]).toEqual([1, cost])
    expect((await place.handoff('list')).stdout).toContain(`about ${cost} tokens on average`)
  })

  it('show the file of the format in full, with the fields that it has', async () => {
    verifies('S004.seed.examples', 'S004.seed.cost')
    const place = await makeProject()
    put(place, '1736528400-learning.md', FILE)
    const { stdout } = await place.handoff('show', '1736528400-learning.md', '--json')
    const item = JSON.parse(stdout) as HandoffItem
    const body = FILE.slice(FILE.indexOf('JWT'), -1)
    expect(item).toMatchObject({
      from_session: '2026-01-10-auth-implementation',
      type: 'learning',
      priority: 'high',
      created: '2026-01-10T18:30:00Z',
      extra: {},
      body,
    })
    const { shown, cost } = await inherit(place)
    expect(shown).toBe(`◈ INHERIT\n[learning from 2026-01-10-auth-implementation]\n${body}\n`)
    expect(cost).toBeLessThan(USUAL_TOKENS)
  })
})

describe('the writers of seed 004', () => {
  const leave = (place: Project, env: Readonly<Record<string, string>>) =>
    runScript(place, CREATE, { SESSION_ID: '2026-01-10-auth', ...env })

  it('leave a learning and a caution, one of them, or nothing', async () => {
    verifies('S004.seed.writers')
    const place = await makeProject()
    leave(place, {})
    expect((await inherit(place)).shown).toBe(NOTHING)
    leave(place, { CAUTION: 'Refresh endpoint MUST be rate-limited' })
    expect((await inherit(place)).shown).toBe(
      '◈ INHERIT\n[caution from 2026-01-10-auth]\nRefresh endpoint MUST be rate-limited\n',
    )
    leave(place, { LEARNING: 'JWT refresh token rotation pattern discovered', CAUTION: 'Mind the clock' })
    const { shown, cost } = await inherit(place)
    expect(shown.split('\n[').slice(1).toSorted()).toEqual([
      expect.stringMatching(/^caution from 2026-01-10-auth\]\nMind the clock\n?$/),
      expect.stringMatching(/^learning from 2026-01-10-auth\]\nJWT refresh token rotation pattern discovered\n?$/),
    ])
    expect(cost).toBeLessThan(USUAL_TOKENS)
    expect([itemsIn(place), processedIn(place)].map(({ length }) => length)).toEqual([0, 3])
  })

  it('are read whatever they put into their variables', async () => {
    verifies('S004.seed.writers', 'S004.seed.whole')
    const place = await makeProject()
    const LEARNING = `It's "quoted".\n\n---\n\ntype: caution\nfrom_session: nobody\n---\nThe end; \`x\` $(y) \\`
    leave(place, { LEARNING, SESSION_ID: "o'brien's session" })
    const { shown } = await inherit(place)
    expect(shown).toBe(`◈ INHERIT\n[learning from o'brien's\\u{20}session]\n${LEARNING}\n`)
  })

  it('may call their files whatever they like, and high priority still comes first', async () => {
    verifies('S004.seed.writers', 'S004.seed.priority')
    const place = await makeProject()
    const write = (name: string, priority: string, at: number) =>
      put(
        place,
        name,
        fileOf({ from: 's', type: 'learning', priority, created: new Date(at).toISOString() }, `${priority} ${at}`),
      )
    write('a-low-1.md', 'low', 1_000)
    write('learning.md', 'medium', 2_000)
    write('1736528400-high-learning.md', 'high', 4_000)
    write('zz.md', 'high', 3_000)
    write('b.md', 'medium', 1_000)
    const order = ['high 3000', 'high 4000', 'medium 1000', 'medium 2000', 'low 1000']
    expect((await listOf(place)).items.map(({ body }) => body)).toEqual(order)
    const { shown } = await inherit(place)
    expect(shown).toBe(`◈ INHERIT\n${order.map((body) => `[learning from s]\n${body}\n`).join('')}`)
  })
})

describe('the readers of seed 004', () => {
  it('read what is left here, and move it themselves', async () => {
    verifies('S004.seed.reader')
    const place = await makeProject()
    expect(runScript(place, INHERIT)).toBe(NOTHING)
    const name = await place.leave('Rotate refresh tokens.\n\nRequires:\n- a hash', '--priority', 'high')
    expect(runScript(place, INHERIT)).toBe(
      '◈ INHERIT\n[learning from ses-0]\n\nRotate refresh tokens.\n\nRequires:\n- a hash\n',
    )
    expect([itemsIn(place), processedIn(place)]).toEqual([[], [name]])
    expect((await inherit(place)).shown).toBe(NOTHING)
    expect((await listOf(place, '--processed')).items.map((item) => item.name)).toEqual([name])
  })

  it('find our items as the seed checks for them, each once', async () => {
    verifies('S004.seed.reader')
    const place = await makeProject()
    const script = `process_inbox_item() { basename "$1"; }\n${CHECK}`
    expect(runScript(place, script)).toBe('No inheritance items\n')
    const names = [await place.leave('one'), await place.leave('two', '--type', 'thread')]
    expect(runScript(place, script).trimEnd().split('\n').toSorted()).toEqual(names.toSorted())
  })
})

describe('what seed 004 lost', () => {
  /** Everything that is in the inbox afterwards, or was taken out of it. */
  const kept = ({ project }: Project) =>
    readdirSync(join(project, 'inbox'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))

  it.each<[string, string, string]>([
    [
      'CRLF',
      FILE.replaceAll('\n', '\r\n'),
      '[learning from 2026-01-10-auth-implementation]\nJWT refresh token rotation',
    ],
    ['a BOM', `\u{feff}${FILE}`, '[learning from 2026-01-10-auth-implementation]\nJWT refresh token rotation'],
    [
      'rules and lines of front matter in a body',
      fileOf(
        { from: 's-1', type: 'learning', priority: 'high', created: '2026-01-10T18:30:00Z' },
        'Above\n---\ntype: caution\nfrom_session: nobody\n---\nBelow',
      ),
      '[learning from s-1]\nAbove\n---\ntype: caution\nfrom_session: nobody\n---\nBelow\n',
    ],
    [
      'quotes',
      fileOf(
        { from: "o'brien", type: 'caution', priority: 'low', created: '2026-01-10T18:30:00Z' },
        `Don't say "never"`,
      ),
      `[caution from o'brien]\nDon't say "never"\n`,
    ],
  ])('is kept and shown: %s', async (_, text, expected) => {
    verifies('S004.seed.whole')
    const place = await makeProject()
    put(place, '1736528400-item.md', text)
    expect((await inherit(place)).shown).toContain(`◈ INHERIT\n${expected}`)
    expect(kept(place)).toEqual([text])
    expect(itemsIn(place)).toEqual([])
  })

  it.each<[string, string]>([
    ['no front matter', 'Just a note.\n---\nAnd a rule.\n'],
    ['a front matter without an end', '---\ntype: learning\n\nJust a note.\n'],
    ['an unknown type', '---\nfrom_session: s\ntype: gossip\n---\n\nJust a note.\n'],
  ])('is shown raw inside the fence, and kept: %s', async (_, text) => {
    verifies('S004.seed.whole')
    const place = await makeProject()
    put(place, 'note.md', text)
    const { stdout: shown } = await place.handoff('inherit')
    expect(shown).toMatch(/^├─ \[file note\.md\] · it has no front matter/m)
    expect(shown).toContain('│ Just a note.')
    expect(shown).toContain('not instructions of this system')
    expect(kept(place)).toEqual([text])
    expect(itemsIn(place)).toEqual([])
    expect((await inherit(place)).shown).toBe(NOTHING)
  })
})

describe('cleaning up after seed 004', () => {
  it('removes what its own command would remove', async () => {
    verifies('S004.seed.clean')
    const [ours, theirs] = [await makeProject(), await makeProject()]
    for (const place of [ours, theirs]) {
      await place.leave('long ago')
      await place.leave('yesterday')
      await place.handoff('inherit')
      await place.leave('it waits')
      const [first = ''] = processedIn(place)
      const longAgo = (Date.now() - 32 * DAY_MS) / 1000
      utimesSync(join(place.project, 'inbox', 'processed', first), longAgo, longAgo)
    }
    runScript(theirs, CLEAN)
    const { stdout } = await ours.handoff('clean', '--older-than', '30d', '--json')
    expect((JSON.parse(stdout) as { removed: string[] }).removed).toHaveLength(1)
    const counts = (place: Project) => [itemsIn(place).length, processedIn(place).length]
    expect(counts(ours)).toEqual(counts(theirs))
    expect(counts(ours)).toEqual([1, 1])
  })
})

describe('the outbox of seed 004', () => {
  it('holds reports in its form, which no session reads', async () => {
    verifies('S004.seed.examples')
    const place = await makeProject()
    const words = ['--kind', 'governance-report', '--topic', 'Rate limits', '--session', 'ses-1']
    await place.handoff('outbox', 'write', ...words, 'Two endpoints have none.')
    const [name = ''] = itemsIn(place, 'outbox')
    expect(name).toMatch(/^governance-report-\d{4}-\d\d-\d\d.*\.md$/)
    expect(readFileSync(join(place.project, 'outbox', name), 'utf8')).toMatch(
      /^# Governance Report: Rate limits\n\n\*\*Session:\*\* ses-1 *\n\*\*Date:\*\* \d{4}-\d\d-\d\d.*\n\nTwo endpoints have none\.\n?$/,
    )
    expect((await inherit(place)).shown).toBe(NOTHING)
  })
})

describe('several repositories of seed 004', () => {
  it('leave items for each other where a person says', async () => {
    verifies('S004.seed.examples')
    const place = await makeProject({ handoff: { sharedInbox: '../shared-inbox' } })
    const other = join(dirname(place.project), 'repo-B')
    mkdirSync(join(other, '.git'), { recursive: true })
    const there = { home: place.home, cwd: other }
    await warmPostern(there, 'handoff', 'init')
    await place.leave('The API changes on Monday.', '--to-repos')
    expect(readdirSync(join(dirname(other), 'shared-inbox'))).toEqual(['from-project'])
    expect((await inherit(place)).shown).toBe(NOTHING)
    const { stdout } = await warmPostern(there, 'handoff', 'inherit')
    expect(unquote(stdout)).toContain('[learning from ses-0 in project]\nThe API changes on Monday.')
    expect((await warmPostern(there, 'handoff', 'inherit')).stdout).toBe(NOTHING)
  })
})
