import { join } from 'node:path'
import { expect } from 'vitest'
import type { Postern } from '../../../src/model/postern.ts'
import { makeOld, namesIn } from '../../helpers/handoff/projects.ts'
import { temporaryFolder } from '../../helpers/temp.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { EVERYONE } from '../gates/people.ts'
import { conformance, refused } from '../suite.ts'
import { leave, peek, processedOf, project, repository, show, take } from './handing.ts'

const DAY_MS = 24 * 3_600_000

/** Somebody who has shown a token, from wherever. */
const remote = (postern: Postern, id: string, kind: 'ai' | 'human' = 'ai') =>
  postern.as({ id, kind, verified: true, via: 'http' })

conformance('somebody who is not at this machine', ({ rule, open }) => {
  rule('uses projects that were set up here like anybody else', async () => {
    verifies('S004.places')
    const { postern } = await open({ agents: EVERYONE })
    const root = await project(postern)
    const quinn = remote(postern, 'quinn')
    await leave(quinn, root, 'one')
    expect(await take(quinn, join(root, 'inbox'))).toEqual(['one'])
    expect((await quinn.handoff.list({ project: root })).inheritances).toBe(1)
  })

  rule('learns nothing of other folders, and whether they are there', async () => {
    verifies('S004.places')
    const { postern } = await open({ agents: EVERYONE })
    const folders = [repository(), temporaryFolder(), join(temporaryFolder(), 'none')]
    for (const who of [remote(postern, 'quinn'), remote(postern, 'justin', 'human')]) {
      for (const folder of folders) {
        const place = { project: folder }
        await refused(who.handoff.leave({ ...place, type: 'learning', text: 'x' }), 'HANDOFF_UNKNOWN_PROJECT')
        await refused(who.handoff.inherit(place), 'HANDOFF_UNKNOWN_PROJECT')
        await refused(who.handoff.list(place), 'HANDOFF_UNKNOWN_PROJECT')
        await refused(who.handoff.show({ ...place, name: 'x.md' }), 'HANDOFF_UNKNOWN_PROJECT')
        await refused(who.handoff.writeOut({ ...place, kind: 'x', text: 'x' }), 'HANDOFF_UNKNOWN_PROJECT')
        await refused(who.handoff.listOut(place), 'HANDOFF_UNKNOWN_PROJECT')
        await refused(who.handoff.clean({ ...place, olderThanMs: 0 }), 'HANDOFF_UNKNOWN_PROJECT')
      }
    }
  })

  rule('sets up a project only as a person', async () => {
    verifies('S004.places')
    const { postern } = await open({ agents: EVERYONE })
    const root = repository()
    await refused(remote(postern, 'quinn').handoff.init({ project: root }), 'NOT_ALLOWED')
    await remote(postern, 'justin', 'human').handoff.init({ project: root })
    expect(await peek(remote(postern, 'quinn'), root)).toEqual([])
  })

  rule('sees and takes nothing that is for another agent', async () => {
    verifies('S004.places', 'S004.offer.whose')
    const { postern } = await open({ agents: EVERYONE })
    const root = await project(postern)
    const { name } = await leave(postern, root, 'for rex', { to: 'rex' })
    const quinn = remote(postern, 'quinn')
    expect((await quinn.handoff.list({ project: root })).items).toEqual([])
    await refused(quinn.handoff.show({ project: root, name }), 'HANDOFF_ITEM_NOT_FOUND')
    await refused(quinn.handoff.inherit({ project: root, agent: 'rex' }), 'NOT_ALLOWED')
    const { id } = await show(remote(postern, 'rex'), root)
    await refused(quinn.handoff.printed({ id }), 'HANDOFF_OFFER_NOT_FOUND')
    await refused(quinn.handoff.confirm({ id, printed: true }), 'HANDOFF_OFFER_NOT_FOUND')
    await refused(quinn.handoff.release({ id, reason: 'x' }), 'HANDOFF_OFFER_NOT_FOUND')
    expect(await remote(postern, 'rex').handoff.confirm({ id })).toMatchObject({ id })
  })
})

conformance('items of a handoff', ({ rule, open }) => {
  rule('are shown by name, and nothing else is', async () => {
    verifies('S004.places')
    const { postern } = await open()
    const root = await project(postern)
    const { name } = await leave(postern, root, 'one')
    expect(await postern.handoff.show({ project: root, name })).toMatchObject({ name, body: 'one' })
    for (const hostile of ['', '.', '..', '../../etc/passwd', 'processed/x.md', '.gitkeep', 'a\0b', 'x'.repeat(300)]) {
      await refused(postern.handoff.show({ project: root, name: hostile }), 'HANDOFF_ITEM_NOT_FOUND')
    }
  })

  rule('are cleaned up by those who ask, as far as they were processed that long ago', async () => {
    verifies('S004.places')
    const { postern, setNow } = await open()
    setNow(Date.now())
    const root = await project(postern)
    for (const text of ['old', 'young']) await leave(postern, root, text)
    await take(postern, root)
    await leave(postern, root, 'waits')
    const [old = ''] = namesIn(processedOf(root))
    makeOld(join(processedOf(root), old), 31 * DAY_MS)
    const { removed } = await postern.handoff.clean({ project: root, olderThanMs: 30 * DAY_MS })
    expect(removed).toEqual([join('inbox', 'processed', old)])
    expect([namesIn(processedOf(root)).length, await peek(postern, root)]).toEqual([1, ['waits']])
    await refused(postern.handoff.clean({ project: root, olderThanMs: -1 }), 'VALUE_INVALID')
  })

  rule('are cleaned up in passing, at most once an hour, where it is configured', async () => {
    verifies('S004.places')
    const { postern, setNow, advance } = await open({ handoff: { keepProcessedMs: 30 * DAY_MS } })
    setNow(Date.now())
    const [root, other] = [await project(postern), await project(postern)]
    const age = async () => {
      await leave(postern, root, 'one')
      await take(postern, root)
      for (const name of namesIn(processedOf(root))) makeOld(join(processedOf(root), name), 31 * DAY_MS)
    }
    const pass = async () => {
      await leave(postern, other, 'two')
      await take(postern, other)
      return namesIn(processedOf(root)).length
    }
    await age()
    expect(await pass()).toBe(1)
    advance(3_600_000)
    expect(await pass()).toBe(0)
    await age()
    expect(await pass()).toBe(1)
  })
})
