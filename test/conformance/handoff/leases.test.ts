import { spawnSync } from 'node:child_process'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { verifies } from '../../scenarios/verifies.ts'
import { MINUTE_MS } from '../gates/people.ts'
import { conformance, refused } from '../suite.ts'
import { boxOf, leave, peek, processedOf, project, show, take } from './handing.ts'

const SECOND_MS = 1_000

conformance('an inheritance that is not confirmed', ({ rule, open }) => {
  rule('comes back after a minute where it was not printed', async () => {
    verifies('S004.offer.lease')
    const { postern, advance } = await open()
    const root = await project(postern)
    await leave(postern, root, 'one')
    const { id } = await postern.handoff.inherit({ project: root, session: 'a' })
    advance(MINUTE_MS - 1)
    expect(await peek(postern, root)).toEqual([])
    advance(1)
    expect(await take(postern, root)).toEqual(['one'])
    await refused(postern.handoff.confirm({ id: id ?? '', printed: true }), 'HANDOFF_OFFER_NOT_FOUND')
  })

  rule('comes back a quarter of an hour after it was printed', async () => {
    verifies('S004.offer.lease')
    const { postern, advance } = await open()
    const root = await project(postern)
    await leave(postern, root, 'one')
    await show(postern, root, { session: 'a' })
    advance(15 * MINUTE_MS - 1)
    expect(await peek(postern, root)).toEqual([])
    advance(1)
    expect(await take(postern, root)).toEqual(['one'])
  })

  rule('comes back after a minute where no session can say that it goes on', async () => {
    verifies('S004.offer.lease')
    const { postern, advance } = await open()
    const root = await project(postern)
    await leave(postern, root, 'one')
    await show(postern, root)
    advance(MINUTE_MS - 1)
    expect(await peek(postern, root)).toEqual([])
    advance(1)
    expect(await take(postern, root)).toEqual(['one'])
  })

  rule('comes back at once where its session has ended, or its process is gone', async () => {
    verifies('S004.offer.lease')
    const { postern } = await open()
    const root = await project(postern)
    await leave(postern, root, 'one')
    await postern.sessions.begin({ id: 'a', agent: 'quinn' })
    await show(postern, root, { session: 'a' })
    expect(await peek(postern, root)).toEqual([])
    await postern.sessions.end({ id: 'a' })
    const { pid } = spawnSync('true')
    await postern.sessions.begin({ id: 'b', agent: 'quinn', pid, pidStartedAt: 1 })
    await show(postern, root, { session: 'b' })
    expect(await take(postern, root)).toEqual(['one'])
  })

  rule('is not held for ever by a clock that was set back', async () => {
    verifies('S004.offer.lease')
    const { postern, advance } = await open()
    const root = await project(postern)
    await leave(postern, root, 'one')
    await show(postern, root, { session: 'a' })
    advance(-60 * MINUTE_MS)
    expect(await take(postern, root)).toEqual(['one'])
  })

  rule('counts as inherited where its files have moved already: whoever confirmed it has died', async () => {
    verifies('S004.offer.lease', 'S004.offer.confirm')
    const { postern } = await open()
    const root = await project(postern)
    const { name } = await leave(postern, root, 'one')
    const { id } = await show(postern, root, { session: 'a' })
    renameSync(join(boxOf(root), name), join(processedOf(root), name))
    expect(await take(postern, root, { session: 'b' })).toEqual([])
    expect(await postern.handoff.confirm({ id })).toEqual({ id, moved: [] })
    expect(await postern.handoff.list({ project: root })).toMatchObject({ items: [], inheritances: 1 })
  })

  rule('gives back only what has not moved yet', async () => {
    verifies('S004.offer.lease')
    const { postern, advance } = await open()
    const root = await project(postern)
    const [first] = [await leave(postern, root, 'one'), await leave(postern, root, 'two')]
    await show(postern, root, { session: 'a' })
    renameSync(join(boxOf(root), first.name), join(processedOf(root), first.name))
    advance(15 * MINUTE_MS + SECOND_MS)
    expect(await take(postern, root, { session: 'b' })).toEqual(['two'])
  })
})
