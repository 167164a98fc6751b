import { existsSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DRAFT, makeOld, makeProject, namesIn, plantFile } from '../../../test/helpers/handoff/projects.ts'

const DAY_MS = 24 * 3_600_000

describe('what was processed', () => {
  it('comes newest first, by when it was', async () => {
    const { shelf, place, inbox } = await makeProject()
    for (const [name, days] of [
      ['b.md', 2],
      ['a.md', 1],
      ['c.md', 3],
    ] as const)
      makeOld(plantFile(join(inbox, 'processed', name), 'x'), days * DAY_MS)
    plantFile(join(inbox, 'quarantine', 'd.md'), 'x')
    symlinkSync('a.md', join(inbox, 'processed', 'link.md'))
    const { items, refused } = await shelf.processed(place)
    expect(items.map(({ name }) => name)).toEqual(['d.md', 'a.md', 'b.md', 'c.md'])
    expect(refused).toEqual([{ box: 'inbox', name: 'link.md', reason: 'a symbolic link' }])
  })

  it('counts from when it was, not from when it was left', async () => {
    const { shelf, place } = await makeProject()
    const left = await shelf.leave(place, DRAFT)
    utimesSync(left.path, 1, 1)
    await shelf.archive(place, left, 'processed')
    expect(await shelf.clean(place, { before: Date.now() - DAY_MS })).toEqual([])
    expect(await shelf.clean(place, { before: Date.now() + 1_000 })).toEqual([`inbox/processed/${left.name}`])
  })

  it('is removed once it is old, and nothing else is', async () => {
    const { shelf, place, inbox, root } = await makeProject()
    await shelf.init(place)
    const plantOld = (path: string) => makeOld(plantFile(join(inbox, path), 'x'), 40 * DAY_MS)
    for (const path of ['a.md', 'processed/b.md', 'processed/c.txt', 'quarantine/d.md', 'processed/.e.md'])
      plantOld(path)
    plantFile(join(inbox, 'processed', 'f.md'), 'x')
    symlinkSync(join(inbox, 'a.md'), join(inbox, 'processed', 'link.md'))
    const removed = await shelf.clean(place, { before: Date.now() - 30 * DAY_MS })
    expect(removed).toEqual(['inbox/processed/b.md', 'inbox/quarantine/d.md'])
    expect(namesIn(join(inbox, 'processed'))).toEqual(['.e.md', 'c.txt', 'f.md', 'link.md'])
    expect(existsSync(join(root, 'inbox', 'a.md'))).toBe(true)
  })

  it('is looked after by the repository that left it, where repositories share', async () => {
    const { shelf, place, root } = await makeProject()
    const shared = join(root, '..', 'shared-inbox')
    for (const box of ['from-atlas', 'from-borealis'])
      makeOld(plantFile(join(shared, box, 'processed', 'a.md'), 'x'), 40 * DAY_MS)
    const removed = await shelf.clean(place, { before: Date.now() - 30 * DAY_MS })
    expect(removed).toEqual(['../shared-inbox/from-atlas/processed/a.md'])
  })
})

describe('an item by its name', () => {
  it('is one that waits before one that was processed', async () => {
    const { shelf, place, inbox } = await makeProject()
    plantFile(join(inbox, 'processed', 'a.md'), 'processed')
    expect(await shelf.find(place, 'a.md')).toMatchObject({ body: 'processed' })
    plantFile(join(inbox, 'a.md'), 'waits')
    expect(await shelf.find(place, 'a.md')).toMatchObject({ body: 'waits' })
    expect(await shelf.find(place, 'b.md')).toBeUndefined()
  })

  it('is found where it was left for other repositories, until it is removed', async () => {
    const { shelf, place, root } = await makeProject()
    const left = await shelf.leave(place, { ...DRAFT, isShared: true })
    const expected = { box: 'from-atlas', name: left.name, body: DRAFT.body }
    expect(await shelf.find(place, left.name)).toMatchObject(expected)
    expect((await shelf.look(place)).items).toEqual([])
    await shelf.archive(place, left, 'processed')
    expect(await shelf.find(place, left.name)).toMatchObject(expected)
    await shelf.clean(place, { before: Date.now() + 1_000 })
    expect(await shelf.find(place, left.name)).toBeUndefined()
    const box = join(root, '..', 'shared-inbox', 'from-atlas')
    rmSync(box, { recursive: true })
    symlinkSync(root, box)
    expect(await shelf.find(place, left.name)).toBeUndefined()
  })
})
