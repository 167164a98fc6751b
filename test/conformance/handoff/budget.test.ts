import { join } from 'node:path'
import { expect } from 'vitest'
import { plantFile, seedItem } from '../../helpers/handoff/projects.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { conformance, refused } from '../suite.ts'
import { bodies, boxOf, leave, project, show, take } from './handing.ts'

const HOUR_MS = 3_600_000

conformance('what an inheritance shows', ({ rule, open }) => {
  rule('is urgent first, then oldest, whatever the names of files say', async () => {
    verifies('S004.offer.order')
    const { postern, advance } = await open()
    const root = await project(postern)
    for (const [priority, text] of [
      ['low', 'e'],
      ['medium', 'c'],
      ['high', 'a'],
      ['medium', 'd'],
      ['high', 'b'],
    ] as const) {
      await leave(postern, root, text, { priority })
      advance(1_000)
    }
    const fields = { from_session: 'x', type: 'caution', priority: 'high', created: '2025-01-01T00:00:00Z' }
    plantFile(join(boxOf(root), 'zzz.md'), seedItem(fields, 'first'))
    expect(await take(postern, root)).toEqual(['first', 'a', 'b', 'c', 'd', 'e'])
  })

  rule('keeps within its budget; what does not fit is named and waits', async () => {
    verifies('S004.offer.order')
    const { postern, advance } = await open()
    const root = await project(postern)
    for (const at of [1, 2, 3]) {
      await leave(postern, root, `item ${at}\n${'x'.repeat(560)}`)
      advance(1_000)
    }
    const { id, items, waiting, tokens } = await show(postern, root)
    expect(tokens).toBeLessThanOrEqual(500)
    expect(items.map(({ body }) => body.slice(0, 6))).toEqual(['item 1', 'item 2'])
    expect(waiting).toMatchObject([{ box: 'inbox', type: 'learning', headline: 'item 3' }])
    expect(waiting[0]?.tokens).toBeGreaterThan(140)
    await postern.handoff.confirm({ id })
    expect((await take(postern, root)).map((body) => body.slice(0, 6))).toEqual(['item 3'])
  })

  rule('always has the first item, and lets smaller ones pass a large one', async () => {
    verifies('S004.offer.order')
    const { postern, advance } = await open()
    const root = await project(postern)
    await leave(postern, root, 'small', { priority: 'high' })
    advance(1_000)
    await leave(postern, root, `large\n${'x'.repeat(9_000)}`)
    advance(1_000)
    await leave(postern, root, 'also small')
    const first = await show(postern, root)
    expect([bodies(first), first.waiting]).toMatchObject([['small', 'also small'], [{ headline: 'large' }]])
    await postern.handoff.confirm({ id: first.id })
    const second = await show(postern, root)
    expect([second.items.length, second.waiting]).toEqual([1, []])
    expect(second.tokens).toBeGreaterThan(2_000)
  })

  rule('may cost what the configuration or the caller says', async () => {
    verifies('S004.offer.order')
    const { postern } = await open({ handoff: { maxTokens: 100 } })
    const root = await project(postern)
    for (const at of [1, 2, 3]) await leave(postern, root, `item ${at} ${'x'.repeat(200)}`)
    const few = await postern.handoff.inherit({ project: root })
    expect(few.items).toHaveLength(1)
    await postern.handoff.release({ id: few.id ?? '', reason: 'a look' })
    expect(await take(postern, root, { maxTokens: 10_000 })).toHaveLength(3)
    for (const maxTokens of [0, -1, 2_000_000]) {
      await refused(postern.handoff.inherit({ project: root, maxTokens }), 'VALUE_INVALID')
    }
  })

  rule('is counted: a list tells what inheriting costs on average', async () => {
    verifies('S004.offer.order')
    const { postern } = await open()
    const root = await project(postern)
    expect(await postern.handoff.list({ project: root })).toMatchObject({ averageTokens: null, inheritances: 0 })
    const costs: number[] = []
    for (const text of ['short', `long ${'x'.repeat(300)}`]) {
      await leave(postern, root, text)
      const { id, tokens } = await show(postern, root)
      costs.push(tokens)
      await postern.handoff.confirm({ id })
    }
    await leave(postern, root, 'given back')
    await postern.handoff.release({ id: (await show(postern, root)).id, reason: 'x' })
    const averageTokens = Math.round(costs.reduce((a, b) => a + b) / 2)
    const listed = await postern.handoff.list({ project: root })
    expect(listed).toMatchObject({ averageTokens, inheritances: 2, items: [{ body: 'given back', isOffered: false }] })
    const processed = await postern.handoff.list({ project: root, processed: true })
    expect(processed.items.map(({ body }) => body.slice(0, 5)).toSorted()).toEqual(['long ', 'short'])
  })

  rule('is remembered no longer than anything else that is over', async () => {
    verifies('S004.offer.order')
    const { postern, advance } = await open({ limits: { retentionMs: HOUR_MS } })
    const root = await project(postern)
    await leave(postern, root, 'one')
    await take(postern, root)
    advance(HOUR_MS - 1)
    await postern.upkeep.run()
    expect(await postern.handoff.list({ project: root })).toMatchObject({ inheritances: 1 })
    advance(HOUR_MS)
    await postern.upkeep.run()
    expect(await postern.handoff.list({ project: root })).toMatchObject({ averageTokens: null, inheritances: 0 })
  })
})
