import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makeRepository, plantFile, seedItem } from '../../../test/helpers/handoff/projects.ts'
import { storeWith } from '../../../test/helpers/store-with.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { openContext } from '../../host/open/context.ts'
import { openEmbedded } from '../../host/open/store.ts'
import type { Store } from '../../store/store.ts'
import { createPostern } from '../postern.ts'

it('measures handoff items, whole ones included, without blocking writers', async () => {
  const { store, wire } = await openEmbedded(join(temporaryFolder(), 'postern.db'), {})
  let isWriting = false
  const transact: Store['transact'] = (verb, options) =>
    store.transact(async (tx) => {
      isWriting = true
      return verb(tx).finally(() => {
        isWriting = false
      })
    }, options)
  const watched = storeWith(store, { transact })
  const { ctx: context, close } = openContext(watched, wire, {})
  const handoffs = await context.handoff()
  const measured = new Set<string>()
  const watch =
    <T extends readonly unknown[]>(name: string, measure: (...about: T) => number) =>
    (...about: T) => {
      measured.add(`${name} ${isWriting ? 'while it writes' : 'before'}`)
      return measure(...about)
    }
  const watchedHandoffs = {
    ...handoffs,
    leastTokens: watch('leastTokens', handoffs.leastTokens),
    tokensOf: watch('tokensOf', handoffs.tokensOf),
    tokensAround: watch('tokensAround', handoffs.tokensAround),
  }
  const ctx = { ...context, handoff: async () => watchedHandoffs }
  const postern = createPostern(ctx, close)
  onTestFinished(() => postern.close())
  const project = makeRepository(join(temporaryFolder(), 'atlas'))
  await postern.handoff.init({ project })
  for (const name of ['a.md', 'b.md']) plantFile(join(project, 'inbox', name), seedItem({ type: 'learning' }, 'x'))
  expect((await postern.handoff.inherit({ project })).items).toHaveLength(2)
  expect([...measured].toSorted()).toEqual(['leastTokens before', 'tokensAround before', 'tokensOf before'])
})
