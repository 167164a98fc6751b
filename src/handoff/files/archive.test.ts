import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DRAFT, makeOld, makeProject, namesIn, plantFile } from '../../../test/helpers/handoff/projects.ts'

describe('an item that was shown', () => {
  it('moves to processed or to quarantine, and is found there', async () => {
    const { shelf, place, inbox } = await makeProject()
    const left = await shelf.leave(place, DRAFT)
    plantFile(join(inbox, 'raw.md'), 'raw')
    expect(await shelf.archive(place, left, 'processed')).toBe(`inbox/processed/${left.name}`)
    expect(await shelf.archive(place, { box: 'inbox', name: 'raw.md' }, 'quarantine')).toBe('inbox/quarantine/raw.md')
    expect(await shelf.look(place)).toEqual({ items: [], refused: [] })
    const { items } = await shelf.processed(place)
    expect(items.map(({ name }) => name).sort()).toEqual([left.name, 'raw.md'].sort())
    expect(await shelf.find(place, left.name)).toMatchObject({ box: 'inbox', body: DRAFT.body })
    expect(statSync(join(inbox, 'processed', left.name)).nlink).toBe(1)
  })

  it('replaces none of the same name, however often', async () => {
    const { shelf, place, inbox } = await makeProject()
    const moved: (string | undefined)[] = []
    for (const text of ['one', 'two', 'three']) {
      plantFile(join(inbox, 'note.md'), text)
      moved.push(await shelf.archive(place, { box: 'inbox', name: 'note.md' }, 'processed'))
    }
    expect(moved).toEqual(['inbox/processed/note.md', 'inbox/processed/note.2.md', 'inbox/processed/note.3.md'])
    expect(moved.map((path) => readFileSync(join(inbox, '..', path ?? ''), 'utf8'))).toEqual(['one', 'two', 'three'])
  })

  it('finds a name however long its own is', async () => {
    const { shelf, place, inbox } = await makeProject()
    const name = `${'ü'.repeat(126)}.md`
    for (const text of ['one', 'two']) {
      plantFile(join(inbox, name), text)
      await shelf.archive(place, { box: 'inbox', name }, 'processed')
    }
    expect(namesIn(join(inbox, 'processed'))).toHaveLength(2)
  })

  it('moves once, whoever else moves it at the same time or later', async () => {
    const { shelf, place, inbox } = await makeProject()
    const left = await shelf.leave(place, DRAFT)
    const moved = await Promise.all([1, 2, 3].map(() => shelf.archive(place, left, 'processed')))
    expect(moved).toEqual([`inbox/processed/${left.name}`, undefined, undefined])
    expect(namesIn(join(inbox, 'processed'))).toEqual([left.name])
    expect(await shelf.has(place, left)).toBe(false)
  })

  it('stays where somebody has written something else there since', async () => {
    const { shelf, place, inbox } = await makeProject()
    const path = plantFile(join(inbox, 'note.md'), 'shown')
    const [shown] = (await shelf.look(place)).items
    expect(shown).toBeDefined()
    if (shown === undefined) return
    writeFileSync(path, 'not shown yet')
    expect(await shelf.archive(place, shown, 'quarantine')).toBeUndefined()
    expect(await shelf.has(place, shown)).toBe(true)
    expect((await shelf.look(place)).items).toMatchObject([{ body: 'not shown yet' }])
    const [next] = (await shelf.look(place)).items
    expect(next && (await shelf.archive(place, next, 'quarantine'))).toBe('inbox/quarantine/note.md')
  })

  it.each(['../x.md', 'a/b.md', '.hidden.md', 'x.txt', '', 'a\nb.md'])('is none by the name %j', async (name) => {
    const { shelf, place, inbox, root } = await makeProject()
    mkdirSync(join(inbox, 'a'), { recursive: true })
    for (const path of [join(root, 'x.md'), join(inbox, 'a', 'b.md'), join(inbox, '.hidden.md'), join(inbox, 'x.txt')])
      plantFile(path, 'x')
    expect(await shelf.archive(place, { box: 'inbox', name }, 'processed')).toBeUndefined()
    expect(await shelf.find(place, name)).toBeUndefined()
    expect(existsSync(join(inbox, 'processed'))).toBe(false)
  })

  it.each(['..', 'outbox', 'from-', 'from-../x', 'inbox/'])('is none in a box %j', async (box) => {
    const { shelf, place, root } = await makeProject()
    plantFile(join(root, 'outbox', 'x.md'), 'x')
    expect(await shelf.archive(place, { box, name: 'x.md' }, 'processed')).toBeUndefined()
    expect(await shelf.has(place, { box, name: 'x.md' })).toBe(false)
  })

  it('stays where it has become a link, and goes nowhere through one', async () => {
    const { shelf, place, inbox, root } = await makeProject()
    plantFile(join(inbox, 'a.md'), 'x')
    symlinkSync(join(root, 'elsewhere'), join(inbox, 'processed'))
    mkdirSync(join(root, 'elsewhere'))
    const item = { box: 'inbox', name: 'a.md' }
    await expect(shelf.archive(place, item, 'processed')).rejects.toMatchObject({ code: 'HANDOFF_UNUSABLE' })
    renameSync(join(inbox, 'a.md'), join(root, 'a.md'))
    symlinkSync(join(root, 'a.md'), join(inbox, 'a.md'))
    expect(await shelf.archive(place, item, 'quarantine')).toBeUndefined()
    expect(namesIn(join(root, 'elsewhere'))).toEqual([])
  })
})

describe('what a dying process left half done', () => {
  it('is finished: a writer that had published, and not yet taken away the first name', async () => {
    const { shelf, place, inbox } = await makeProject()
    const path = plantFile(join(inbox, '1-x-learning.md'), 'x')
    linkSync(path, join(inbox, '.1-x-learning.md.partial'))
    expect((await shelf.look(place)).items).toHaveLength(1)
    expect(namesIn(inbox)).toEqual(['1-x-learning.md'])
  })

  it.each([
    'processed/note.md',
    'processed/note.2.md',
    'quarantine/note.md',
  ])('is finished: a reader that had put it into %s, and not yet taken it out of the box', async (archived) => {
    const { shelf, place, inbox } = await makeProject()
    const path = plantFile(join(inbox, 'note.md'), 'x')
    if (archived.includes('2')) plantFile(join(inbox, 'processed', 'note.md'), 'an older one')
    mkdirSync(join(inbox, archived, '..'), { recursive: true })
    linkSync(path, join(inbox, archived))
    expect(await shelf.look(place)).toEqual({ items: [], refused: [] })
    expect(existsSync(path)).toBe(false)
    expect(readFileSync(join(inbox, archived), 'utf8')).toBe('x')
  })

  it('is cleared away: a file that never became an item, once its writer must be dead', async () => {
    const { shelf, place, inbox } = await makeProject()
    const partial = plantFile(join(inbox, '.1-x-learning.md.partial'), 'half')
    expect(await shelf.look(place)).toEqual({ items: [], refused: [] })
    expect(existsSync(partial)).toBe(true)
    makeOld(partial, 120_000)
    expect(await shelf.look(place)).toEqual({ items: [], refused: [] })
    expect(existsSync(partial)).toBe(false)
  })

  it('is cleared away by a writer as well, and by set-up: a box may never be listed by those who write to it', async () => {
    const { shelf, place, inbox, root } = await makeProject()
    const left = ['inbox/.1-x-learning.md.partial', 'outbox/.build-2026-01-10.md.partial', '.gitignore.x1.partial']
    const partials = left.map((name) => plantFile(join(root, name), 'half'))
    const work = async () => {
      await shelf.leave(place, DRAFT)
      await shelf.writeOut(place, { kind: 'build', text: 'x' })
      await shelf.init(place)
    }
    await work()
    expect(partials.map((path) => existsSync(path))).toEqual([true, true, true])
    const others = [join(inbox, '.note.md'), join(root, '.env.partial')].map((path) => plantFile(path, 'x'))
    for (const path of [...partials, ...others]) makeOld(path, 120_000)
    await work()
    expect(partials.map((path) => existsSync(path))).toEqual([false, false, false])
    expect(others.map((path) => existsSync(path))).toEqual([true, true])
  })

  it('is nothing of a file that has two names for other reasons', async () => {
    const { shelf, place, inbox, root } = await makeProject()
    const path = plantFile(join(inbox, 'note.md'), 'x')
    linkSync(path, join(root, 'note'))
    linkSync(path, join(inbox, '.note.md.partial'))
    expect((await shelf.look(place)).refused).toMatchObject([{ reason: 'a file with more than one name' }])
    expect(namesIn(inbox)).toEqual(['.note.md.partial', 'note.md'])
  })
})
