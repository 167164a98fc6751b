import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeProject, namesIn, plantFile, seedItem, type TestProject } from '../../helpers/handoff/projects.ts'
import { letOthersRead, NEEDS_ROOT, withoutRoot } from '../../helpers/needs.ts'
import { verifies } from '../../scenarios/verifies.ts'

const STRANGER = 12_345
const item = (body: string) => seedItem({ from_session: 's-0', type: 'learning', priority: 'high' }, body)

/** The seed's item among what an attacker puts beside it. */
async function makeHostile(): Promise<TestProject & { readonly secret: string }> {
  const project = await makeProject()
  await project.shelf.init(project.place)
  plantFile(join(project.inbox, 'honest.md'), item('honest'))
  return { ...project, secret: plantFile(join(project.root, '..', 'secret'), 'the secret') }
}

/** What is read, and what is said of the file that is not. */
async function judge({ shelf, place, inbox }: TestProject, name: string) {
  const before = namesIn(inbox)
  const { items, refused } = await shelf.look(place)
  expect(JSON.stringify(items)).not.toContain('the secret')
  expect(items.map(({ body }) => body)).toEqual(['honest'])
  expect(await shelf.find(place, name)).toBeUndefined()
  expect(await shelf.archive(place, { box: 'inbox', name }, 'processed')).toBeUndefined()
  expect(namesIn(inbox)).toEqual(before)
  expect(namesIn(join(inbox, 'processed'))).toEqual([])
  return refused
}

type Trap = readonly [what: string, reason: string, lay: (path: string, secret: string) => void]

const TRAPS: readonly Trap[] = [
  ['a link to a file', 'a symbolic link', (path, secret) => symlinkSync(secret, path)],
  ['a link to nothing', 'a symbolic link', (path) => symlinkSync('nowhere', path)],
  ['a link to itself', 'a symbolic link', (path) => symlinkSync('trap.md', path)],
  ['a link to a device', 'a symbolic link', (path) => symlinkSync('/dev/zero', path)],
  ['a pipe that nobody writes to', 'a pipe', (path) => execFileSync('mkfifo', [path])],
  ['a folder', 'a folder', (path) => mkdirSync(path)],
  ['a second name of a file elsewhere', 'a file with more than one name', (path, secret) => linkSync(secret, path)],
  ['a huge file', 'larger than 64 KB', (path) => truncateSync(plantFile(path, ''), 2 ** 40)],
  ['a file of one byte too many', 'larger than 64 KB', (path) => plantFile(path, 'x'.repeat(65_537))],
]
/** Only root can lay these. */
const TRAPS_OF_ROOT: readonly Trap[] = [
  ['a device', 'a device', (path) => execFileSync('mknod', [path, 'c', '1', '5'])],
  [
    'a file of somebody else',
    'a file of another user',
    (path) => chownSync(plantFile(path, item('theirs')), STRANGER, STRANGER),
  ],
]

/** Lays a trap beside the seed's item. */
async function expectNamed([, reason, lay]: Trap): Promise<void> {
  const project = await makeHostile()
  lay(join(project.inbox, 'trap.md'), project.secret)
  expect(await judge(project, 'trap.md')).toEqual([{ box: 'inbox', name: 'trap.md', reason }])
  expect(readFileSync(project.secret, 'utf8')).toBe('the secret')
}

describe('in an inbox', () => {
  it.each(TRAPS)('%s is named, and never opened or moved', async (...trap) => {
    verifies('S004.files.hostile')
    await expectNamed(trap)
  })

  it.each(TRAPS_OF_ROOT)('%s is named, and never opened or moved', NEEDS_ROOT, async (...trap) => {
    verifies('S004.files.hostile')
    await expectNamed(trap)
  })

  it('a socket is named, and never opened or moved', async () => {
    verifies('S004.files.hostile')
    const project = await makeHostile()
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(join(project.inbox, 'trap.md'), resolve))
    onTestFinished(() => void server.close())
    expect(await judge(project, 'trap.md')).toEqual([{ box: 'inbox', name: 'trap.md', reason: 'a socket' }])
  })

  it('a file that may not be read is named, and stays', async () => {
    verifies('S004.files.hostile')
    const project = await makeHostile()
    letOthersRead(dirname(project.root))
    chmodSync(plantFile(join(project.inbox, 'trap.md'), item('closed')), 0)
    const { items, refused } = await withoutRoot(() => project.shelf.look(project.place))
    expect(items.map(({ body }) => body)).toEqual(['honest'])
    expect(refused).toEqual([{ box: 'inbox', name: 'trap.md', reason: 'not readable' }])
  })

  it.each([
    ['a line break', 'a\nNot read: b.md', 'x'],
    ['an escape', '\x1b[2Ja', 'x'],
    ['the end of a line in Unicode', 'a\u2028b', 'x'],
    ['a change of direction', 'a\u202eb', 'x'],
  ])('a name with %s is refused', async (_, stem) => {
    verifies('S004.files.hostile')
    const project = await makeHostile()
    const name = `${stem}.md`
    plantFile(join(project.inbox, name), item('named badly'))
    const reason = 'a name with characters that cannot be shown'
    expect(await judge(project, name)).toEqual([{ box: 'inbox', name, reason }])
  })

  it('a name that is no text is refused', async () => {
    verifies('S004.files.hostile')
    const project = await makeHostile()
    const path = Buffer.concat([Buffer.from(`${project.inbox}/`), Buffer.from([0xff, 0xfe]), Buffer.from('.md')])
    execFileSync('sh', ['-c', `: > "$(printf '%s/\\377\\376.md' "$1")"`, 'sh', project.inbox])
    expect(existsSync(path)).toBe(true)
    const { items, refused } = await project.shelf.look(project.place)
    expect(items.map(({ body }) => body)).toEqual(['honest'])
    expect(refused).toMatchObject([{ reason: 'a name with characters that cannot be shown' }])
  })

  it.each([
    `${'ü'.repeat(126)}.md`,
    '手で書いた.md',
    '-rf.md',
    '$(touch x) `y`.md',
    "'; DROP.md",
    '%00.md',
    '…~ .md',
  ])('a name that is only strange, such as %j, harms nobody', async (name) => {
    verifies('S004.files.hostile')
    const { shelf, place, inbox } = await makeHostile()
    plantFile(join(inbox, name), item('strange'))
    expect(await shelf.find(place, name)).toMatchObject({ name, body: 'strange' })
    expect(await shelf.archive(place, { box: 'inbox', name }, 'processed')).toBe(`inbox/processed/${name}`)
    expect((await shelf.look(place)).items.map(({ body }) => body)).toEqual(['honest'])
  })

  it('many files do not keep anybody from the oldest', async () => {
    verifies('S004.files.hostile')
    const { shelf, place, inbox } = await makeProject()
    for (let nth = 0; nth < 1_500; nth++) plantFile(join(inbox, `${1_700_000_000 + nth}-x.md`), item(`${nth}`))
    const { items, refused } = await shelf.look(place)
    expect([items.length, items[0]?.body, items.at(-1)?.body, refused]).toEqual([1_000, '0', '999', []])
    await shelf.archive(place, { box: 'inbox', name: '1700000000-x.md' }, 'processed')
    expect((await shelf.look(place)).items.at(-1)?.body).toBe('1000')
  })
})

describe('folders of a project', () => {
  it.each([
    'inbox',
    'outbox',
    'inbox/processed',
    'inbox/quarantine',
  ])('are used by nobody where %s is a link', async (name) => {
    verifies('S004.files.hostile')
    const { shelf, place, root, inbox } = await makeHostile()
    const elsewhere = join(root, '..', 'elsewhere')
    plantFile(join(elsewhere, 'a.md'), item('theirs'))
    rmSync(join(root, name), { recursive: true })
    symlinkSync(elsewhere, join(root, name))
    const error = { code: 'HANDOFF_UNUSABLE', details: { reason: 'it is a link' } }
    await expect(shelf.init(place)).rejects.toMatchObject(error)
    if (name === 'inbox') await expect(shelf.look(place)).rejects.toMatchObject(error)
    if (name === 'outbox') await expect(shelf.writeOut(place, { kind: 'x', text: 'x' })).rejects.toMatchObject(error)
    if (name.startsWith('inbox/')) {
      const into = name === 'inbox/processed' ? 'processed' : 'quarantine'
      await expect(shelf.archive(place, { box: 'inbox', name: 'honest.md' }, into)).rejects.toMatchObject(error)
      expect(statSync(join(inbox, 'honest.md')).nlink).toBe(1)
    }
    expect(namesIn(elsewhere)).toEqual(['a.md'])
  })

  it('are used by nobody but their owner', NEEDS_ROOT, async () => {
    verifies('S004.files.hostile')
    const { shelf, place, inbox } = await makeHostile()
    chownSync(inbox, STRANGER, STRANGER)
    const error = { code: 'HANDOFF_UNUSABLE', details: { path: inbox, reason: 'it belongs to another user' } }
    await expect(shelf.look(place)).rejects.toMatchObject(error)
  })

  it('say so where they cannot be written, and lose nothing', async () => {
    verifies('S004.files.hostile')
    const { shelf, place, root, inbox } = await makeHostile()
    letOthersRead(dirname(root))
    chmodSync(inbox, 0o555)
    onTestFinished(() => chmodSync(inbox, 0o700))
    const archived = withoutRoot(() => shelf.archive(place, { box: 'inbox', name: 'honest.md' }, 'processed'))
    await expect(archived).rejects.toMatchObject({ code: 'HANDOFF_UNUSABLE' })
    expect(namesIn(inbox)).toContain('honest.md')
  })
})
