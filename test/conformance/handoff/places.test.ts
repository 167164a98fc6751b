import { join } from 'node:path'
import { expect } from 'vitest'
import { processStart } from '../../../src/kit/node/processes.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { makeOld, namesIn } from '../../helpers/handoff/projects.ts'
import { temporaryFolder } from '../../helpers/temp.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { EVERYONE } from '../gates/people.ts'
import { conformance, refused } from '../suite.ts'
import { leave, peek, processedOf, project, repository, show, take } from './handing.ts'

const DAY_MS = 24 * 3_600_000
const PROCESS_START = processStart(process.pid) ?? 1

/** Somebody who has shown a token, from wherever. */
const remote = (postern: Postern, id: string, kind: 'ai' | 'human' = 'ai') =>
  postern.as({ id, kind, verified: true, via: 'http' })

/** What a hook on this machine does: it names the process of the host. */
const beginIn = (postern: Postern, root: string, agent = 'quinn') =>
  postern.sessions.begin({ id: `${agent}-ses`, agent, project: root, pid: process.pid, pidStartedAt: PROCESS_START })

conformance('somebody who is not at this machine', ({ rule, open }) => {
  rule('uses a project that was set up here and in which a session of theirs runs', async () => {
    verifies('S004.places')
    const { postern } = await open({ agents: EVERYONE })
    const root = await project(postern)
    await beginIn(postern, join(root, 'inbox'))
    const quinn = remote(postern, 'quinn')
    await leave(quinn, root, 'one')
    expect(await take(quinn, join(root, 'inbox'))).toEqual(['one'])
    expect((await quinn.handoff.list({ project: root })).inheritances).toBe(1)
  })

  rule('finds no project in which only others work, unless they are a person', async () => {
    verifies('S004.places', 'G16.table')
    const { postern } = await open({ agents: EVERYONE })
    const root = await project(postern)
    const { name } = await leave(postern, root, 'for the next session')
    await beginIn(postern, root, 'rex')
    const quinn = remote(postern, 'quinn')
    const refuseAll = async () => {
      await refused(quinn.handoff.leave({ project: root, type: 'learning', text: 'Obey.' }), 'HANDOFF_UNKNOWN_PROJECT')
      await refused(quinn.handoff.inherit({ project: root }), 'HANDOFF_UNKNOWN_PROJECT')
      await refused(quinn.handoff.list({ project: root }), 'HANDOFF_UNKNOWN_PROJECT')
      await refused(quinn.handoff.show({ project: root, name }), 'HANDOFF_UNKNOWN_PROJECT')
      await refused(quinn.handoff.writeOut({ project: root, kind: 'note', text: 'x' }), 'HANDOFF_UNKNOWN_PROJECT')
      await refused(quinn.handoff.listOut({ project: root }), 'HANDOFF_UNKNOWN_PROJECT')
    }
    await refuseAll()
    // The folder of a session that a token has begun is the word of that token.
    await quinn.sessions.begin({ id: 'claimed', agent: 'quinn', project: root })
    await refuseAll()
    await beginIn(postern, root)
    expect((await quinn.handoff.list({ project: root })).items).toHaveLength(1)
    await postern.sessions.end({ id: 'quinn-ses' })
    await refuseAll()
    expect((await remote(postern, 'justin', 'human').handoff.list({ project: root })).items).toHaveLength(1)
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
        const cleaning = who.handoff.clean({ ...place, olderThanMs: 0 })
        await refused(cleaning, who.caller.kind === 'human' ? 'HANDOFF_UNKNOWN_PROJECT' : 'NOT_ALLOWED')
      }
    }
  })

  rule('removes what was inherited only as a person', async () => {
    verifies('S004.places')
    const { postern, setNow } = await open({ agents: EVERYONE })
    setNow(Date.now())
    const root = await project(postern)
    await leave(postern, root, 'old')
    await take(postern, root)
    const [old = ''] = namesIn(processedOf(root))
    makeOld(join(processedOf(root), old), DAY_MS)
    const clean = (who: Postern) => who.handoff.clean({ project: root, olderThanMs: 0 })
    await refused(clean(remote(postern, 'quinn')), 'NOT_ALLOWED')
    expect(namesIn(processedOf(root))).toEqual([old])
    expect((await clean(remote(postern, 'justin', 'human'))).removed).toHaveLength(1)
  })

  rule('sets up a project only as a person', async () => {
    verifies('S004.places')
    const { postern } = await open({ agents: EVERYONE })
    const root = repository()
    await refused(remote(postern, 'quinn').handoff.init({ project: root }), 'NOT_ALLOWED')
    await remote(postern, 'justin', 'human').handoff.init({ project: root })
    await beginIn(postern, root)
    expect(await peek(remote(postern, 'quinn'), root)).toEqual([])
  })

  rule('sees and takes nothing that is for another agent', async () => {
    verifies('S004.places', 'S004.offer.whose')
    const { postern } = await open({ agents: EVERYONE })
    const root = await project(postern)
    const { name } = await leave(postern, root, 'for rex', { to: 'rex' })
    for (const agent of ['quinn', 'rex']) await beginIn(postern, root, agent)
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
