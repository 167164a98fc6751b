import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DRAFT, makeOld, makeProject, namesIn, plantFile, seedItem } from '../../../test/helpers/handoff/projects.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'

const item = (fields: Readonly<Record<string, string>>, body = 'x') => seedItem({ type: 'learning', ...fields }, body)

describe('what waits', () => {
  it('is nothing where there is no inbox', async () => {
    const { shelf, place } = await makeProject()
    expect(await shelf.look(place)).toEqual({ items: [], refused: [] })
  })

  it('comes urgent first, then the oldest by what it says, by its name, or by its file', async () => {
    const { shelf, place, inbox } = await makeProject()
    const plant = (name: string, fields: Readonly<Record<string, string>>) => plantFile(join(inbox, name), item(fields))
    plant('a.md', { priority: 'low', created: '2020-01-01T00:00:00Z' })
    plant('b.md', { priority: 'medium', created: '2026-01-03T00:00:00Z' })
    plant('1767312000-learning.md', { priority: 'medium' })
    plant('c.md', { priority: 'medium', created: '2026-01-03T01:00:00+02:00' })
    makeOld(plant('d.md', { priority: 'medium', created: 'yesterday' }), 3_000)
    plantFile(join(inbox, 'e.md'), 'no front matter')
    plant('f.md', { priority: 'high', created: '2026-01-05T00:00:00Z' })
    plant('g.md', { priority: 'high', created: '2026-01-05T00:00:00Z' })
    const { items } = await shelf.look(place)
    const names = ['f.md', 'g.md', '1767312000-learning.md', 'c.md', 'b.md', 'e.md', 'd.md', 'a.md']
    expect(items.map(({ name }) => name)).toEqual(names)
  })

  it('is read whatever its name and whoever wrote it', async () => {
    const { shelf, place, inbox } = await makeProject()
    plantFile(join(inbox, 'von Hand – 手で書いた.md'), item({ from_session: 's-1' }, 'by hand'))
    plantFile(join(inbox, '.hidden.md'), item({}))
    plantFile(join(inbox, 'notes.txt'), item({}))
    const { items, refused } = await shelf.look(place)
    expect(items).toMatchObject([{ box: 'inbox', from_session: 's-1', body: 'by hand' }])
    expect(refused).toEqual([])
  })

  it('is shown whole where it cannot be understood', async () => {
    const { shelf, place, inbox } = await makeProject()
    plantFile(join(inbox, 'raw.md'), '---\nno end\n')
    expect((await shelf.look(place)).items).toMatchObject([{ type: null, body: '---\nno end\n' }])
  })

  it('is at most a thousand files, oldest names first', async () => {
    const { shelf, place, inbox } = await makeProject()
    for (let nth = 0; nth < 1_010; nth++) plantFile(join(inbox, `${2_000_000_000 + nth}-x.md`), item({}))
    const { items } = await shelf.look(place)
    expect(items).toHaveLength(1_000)
    expect(items.at(-1)?.name).toBe('2000000999-x.md')
  })

  it('changes nothing by being looked at', async () => {
    const { shelf, place, inbox } = await makeProject()
    const path = plantFile(join(inbox, 'a.md'), item({}))
    await shelf.look(place)
    await shelf.look(place)
    expect(namesIn(inbox)).toEqual(['a.md'])
    expect(readFileSync(path, 'utf8')).toBe(item({}))
  })
})

describe('a file that is not read', () => {
  it('is named with its reason, and stays', async () => {
    const { shelf, place, inbox, root } = await makeProject()
    const secret = plantFile(join(root, 'secret'), 'secret')
    mkdirSync(join(inbox, 'folder.md'), { recursive: true })
    symlinkSync(secret, join(inbox, 'link.md'))
    symlinkSync('nowhere', join(inbox, 'loose.md'))
    linkSync(secret, join(inbox, 'hard.md'))
    plantFile(join(inbox, 'large.md'), 'x'.repeat(64 * 1024 + 1))
    plantFile(join(inbox, 'line\nbreak.md'), 'x')
    plantFile(join(inbox, 'limit.md'), 'x'.repeat(64 * 1024))
    const { items, refused } = await shelf.look(place)
    expect(items.map(({ name }) => name)).toEqual(['limit.md'])
    expect(refused.map(({ name, reason }) => [name, reason]).sort()).toEqual([
      ['folder.md', 'a folder'],
      ['hard.md', 'a file with more than one name'],
      ['large.md', 'larger than 64 KB'],
      ['line\nbreak.md', 'a name with characters that cannot be shown'],
      ['link.md', 'a symbolic link'],
      ['loose.md', 'a symbolic link'],
    ])
    expect(namesIn(inbox)).toHaveLength(7)
  })

  it('is empty: nothing could be shown, and somebody may be about to write to it', async () => {
    const { shelf, place, inbox } = await makeProject()
    plantFile(join(inbox, 'a.md'), '')
    expect((await shelf.look(place)).refused).toEqual([{ box: 'inbox', name: 'a.md', reason: 'empty' }])
  })

  it('waits for the next reader while somebody writes to it', async () => {
    const { shelf, place, inbox } = await makeProject()
    const path = plantFile(join(inbox, 'a.md'), 'x')
    let isOver = false
    const write = async () => {
      for (let text = 'x'; !isOver; text += 'x') {
        writeFileSync(path, text)
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    const writing = write()
    const looked = await shelf.look(place)
    isOver = true
    await writing
    expect(looked).toEqual({ items: [], refused: [{ box: 'inbox', name: 'a.md', reason: 'still being written' }] })
    expect((await shelf.look(place)).items).toHaveLength(1)
  })
})

describe('repositories that share an inbox', () => {
  it('see what others left for all or for them, and not what they left themselves', async () => {
    const parent = temporaryFolder()
    const [atlas, borealis] = [
      await makeProject({ parent, name: 'atlas' }),
      await makeProject({ parent, name: 'borealis' }),
    ]
    const all = await atlas.shelf.leave(atlas.place, { ...DRAFT, isShared: true, body: 'for all' })
    await atlas.shelf.leave(atlas.place, { ...DRAFT, isShared: true, body: 'for b', to_repo: 'borealis' })
    await atlas.shelf.leave(atlas.place, { ...DRAFT, isShared: true, body: 'for c', to_repo: 'calypso' })
    await borealis.shelf.leave(borealis.place, { ...DRAFT, isShared: true, body: 'back' })
    expect((await atlas.shelf.look(atlas.place)).items).toMatchObject([{ box: 'from-borealis', body: 'back' }])
    const { items } = await borealis.shelf.look(borealis.place)
    expect(items.map(({ box, body }) => [box, body]).sort()).toEqual([
      ['from-atlas', 'for all'],
      ['from-atlas', 'for b'],
    ])
    const moved = await borealis.shelf.archive(borealis.place, all, 'processed')
    expect(moved).toBe(`../shared-inbox/from-atlas/processed/${all.name}`)
    expect((await borealis.shelf.look(borealis.place)).items).toMatchObject([{ body: 'for b' }])
    expect((await borealis.shelf.processed(borealis.place)).items).toMatchObject([
      { box: 'from-atlas', body: 'for all' },
    ])
  })

  it.each([
    ['is a link', 'shared-inbox', (path: string) => symlinkSync('.', path), 'it is a link'],
    ['is no folder', 'shared-inbox', (path: string) => writeFileSync(path, 'x'), 'it is no folder'],
  ])('inherit what is their own where the folder that they share %s', async (_, name, make, fault) => {
    const { shelf, place, root, inbox } = await makeProject()
    plantFile(join(inbox, 'a.md'), item({}))
    make(join(root, '..', name))
    const { items, refused } = await shelf.look(place)
    expect(items).toHaveLength(1)
    expect(refused).toEqual([{ box: name, name, reason: `a box that cannot be used: ${fault}` }])
    expect((await shelf.processed(place)).items).toEqual([])
  })

  it('inherit what is their own where an archive of others is a link', async () => {
    const { shelf, place, root, inbox } = await makeProject()
    plantFile(join(inbox, 'a.md'), item({}))
    const box = join(root, '..', 'shared-inbox', 'from-evil')
    linkSync(plantFile(join(box, 'b.md'), item({})), join(root, 'b'))
    symlinkSync(root, join(box, 'processed'))
    const { items, refused } = await shelf.look(place)
    expect(items.map(({ name }) => name)).toEqual(['a.md'])
    expect(refused).toMatchObject([{ box: 'from-evil', reason: 'a box that cannot be used: it is a link' }])
    expect((await shelf.processed(place)).items).toEqual([])
    expect(await shelf.find(place, 'a.md')).toBeDefined()
  })

  it('are not harmed by a box that is a link', async () => {
    const { shelf, place, root } = await makeProject()
    mkdirSync(join(root, '..', 'shared-inbox'))
    symlinkSync(root, join(root, '..', 'shared-inbox', 'from-evil'))
    expect(await shelf.look(place)).toEqual({
      items: [],
      refused: [{ box: 'from-evil', name: 'from-evil', reason: 'a box that cannot be used: it is a link' }],
    })
  })
})
