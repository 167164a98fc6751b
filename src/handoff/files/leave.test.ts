import { mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DRAFT, makeProject, namesIn } from '../../../test/helpers/handoff/projects.ts'

const NOW = Date.UTC(2026, 0, 10, 18, 30)

describe('an item that is left', () => {
  it('is a file in the format of the seed, under a name that sorts by time', async () => {
    const { shelf, place, inbox } = await makeProject({ now: () => NOW })
    const left = await shelf.leave(place, { ...DRAFT, body: 'One.\nTwo.' })
    expect(left.name).toMatch(/^1768069800-[0-9a-z]{16}-learning\.md$/)
    expect(left).toEqual({ box: 'inbox', name: left.name, path: join(inbox, left.name) })
    expect(readFileSync(left.path, 'utf8')).toBe(
      '---\nfrom_session: 2026-01-10-auth\ntype: learning\npriority: medium\ncreated: 2026-01-10T18:30:00Z\n---\n\nOne.\nTwo.\n',
    )
    expect(statSync(left.path)).toMatchObject({ nlink: 1, mode: 0o100600 })
    expect(namesIn(inbox)).toEqual([left.name, 'processed'])
  })

  it('never has the name of another, in whichever moment it is left', async () => {
    const { shelf, place, inbox } = await makeProject({ now: () => NOW })
    const left = await Promise.all(Array.from({ length: 100 }, () => shelf.leave(place, DRAFT)))
    expect(new Set(left.map(({ name }) => name)).size).toBe(100)
    expect(namesIn(inbox).filter((name) => name.endsWith('.md'))).toHaveLength(100)
  })

  it('sets up the project that it is left in, so that the next session is shown it by itself', async () => {
    const { shelf, place } = await makeProject()
    expect(await shelf.isInitialised(place)).toBe(false)
    await shelf.leave(place, DRAFT)
    expect(await shelf.isInitialised(place)).toBe(true)
  })

  it('can be seen at once: nobody waits for what appeared whole', async () => {
    const { shelf, place } = await makeProject()
    await shelf.leave(place, DRAFT)
    const begun = Date.now()
    expect((await shelf.look(place)).items).toHaveLength(1)
    const { path } = await shelf.leave(place, DRAFT)
    expect(statSync(path).mtimeMs).toBeLessThan(begun - 1_000)
  })

  it.each([
    ['without a text', { body: ' \n' }],
    ['that is too large', { body: 'x'.repeat(70_000) }],
  ])('is refused %s, and nothing is made', async (_, draft) => {
    const { shelf, place, root } = await makeProject()
    await expect(shelf.leave(place, { ...DRAFT, ...draft })).rejects.toMatchObject({ code: 'HANDOFF_ITEM_INVALID' })
    expect(namesIn(root)).toEqual(['.git'])
  })

  it('is refused where its box is a link, and nothing is written there', async () => {
    const { shelf, place, root, inbox } = await makeProject()
    mkdirSync(join(root, 'elsewhere'))
    symlinkSync(join(root, 'elsewhere'), inbox)
    const error = { code: 'HANDOFF_UNUSABLE', details: { path: inbox, reason: 'it is a link' } }
    await expect(shelf.leave(place, DRAFT)).rejects.toMatchObject(error)
    expect(namesIn(join(root, 'elsewhere'))).toEqual([])
  })

  it('is refused where nobody may share, and else lies where others look', async () => {
    const { shelf, place, root } = await makeProject()
    const left = await shelf.leave(place, { ...DRAFT, isShared: true })
    expect(left.box).toBe('from-atlas')
    expect(left.path).toBe(join(root, '..', 'shared-inbox', 'from-atlas', left.name))
    const closed = await makeProject({ sharedInbox: null })
    const reason = 'the inbox that repositories share is switched off'
    await expect(closed.shelf.leave(closed.place, { ...DRAFT, isShared: true })).rejects.toMatchObject({
      details: { reason },
    })
  })
})
