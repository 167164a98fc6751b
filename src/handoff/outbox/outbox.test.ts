import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeOld, makeProject, namesIn, plantFile } from '../../../test/helpers/handoff/projects.ts'

const NOW = Date.UTC(2026, 0, 10, 23, 59)

describe('the outbox', () => {
  it('has one report of a kind a day under the name of the seed, and replaces none', async () => {
    const { shelf, place, root } = await makeProject({ now: () => NOW })
    const first = await shelf.writeOut(place, { kind: 'governance-report', text: 'one\n' })
    expect(first).toEqual({
      name: 'governance-report-2026-01-10.md',
      path: join(root, 'outbox', 'governance-report-2026-01-10.md'),
      bytes: 4,
      at: NOW,
    })
    const second = await shelf.writeOut(place, { kind: 'governance-report', text: 'two\n' })
    expect(second.name).toMatch(/^governance-report-2026-01-10-[0-9a-z]{16}\.md$/)
    expect(readFileSync(first.path, 'utf8')).toBe('one\n')
    expect(readFileSync(second.path, 'utf8')).toBe('two\n')
    expect(namesIn(join(root, 'outbox'))).toEqual([second.name, first.name].sort())
    expect((await shelf.listOut(place)).map(({ at }) => at)).toEqual([NOW, NOW])
  })

  it('is listed newest first, without what is no report of ours', async () => {
    const { shelf, place, root } = await makeProject()
    expect(await shelf.listOut(place)).toEqual([])
    const { name, path } = await shelf.writeOut(place, { kind: 'build', text: 'x' })
    const old = plantFile(join(root, 'outbox', 'old.md'), 'older')
    makeOld(old, 60_000)
    symlinkSync(old, join(root, 'outbox', 'link.md'))
    const listed = await shelf.listOut(place)
    expect(listed).toMatchObject([
      { name, path, bytes: 1 },
      { name: 'old.md', path: old, bytes: 5 },
    ])
  })

  it('loses what a dead writer left', async () => {
    const { shelf, place, root } = await makeProject()
    const partial = plantFile(join(root, 'outbox', '.build-2026-01-10.md.partial'), 'x')
    await shelf.listOut(place)
    expect(existsSync(partial)).toBe(true)
    makeOld(partial, 120_000)
    await shelf.listOut(place)
    expect(existsSync(partial)).toBe(false)
  })

  it.each([
    ['', 'its kind "" is not lower-case letters, digits and "-"'],
    ['../x', 'its kind "../x" is not lower-case letters, digits and "-"'],
    ['Report', 'its kind "Report" is not lower-case letters, digits and "-"'],
  ])('takes no kind such as %j', async (kind, reason) => {
    const { shelf, place, root } = await makeProject()
    const error = { code: 'HANDOFF_ITEM_INVALID', details: { reason } }
    await expect(shelf.writeOut(place, { kind, text: 'x' })).rejects.toMatchObject(error)
    expect(existsSync(join(root, 'outbox'))).toBe(false)
  })
})
