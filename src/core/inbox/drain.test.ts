import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { storeWith } from '../../../test/helpers/store-with.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { openContext } from '../../host/open/context.ts'
import { openEmbedded } from '../../host/open/store.ts'
import type { Store } from '../../store/store.ts'
import { createPostern } from '../postern.ts'

it('measures messages while others can write', async () => {
  const { store, wire } = await openEmbedded(join(temporaryFolder(), 'postern.db'), {})
  let isWriting = false
  const transact: Store['transact'] = (verb, options) =>
    store.transact(async (tx) => {
      isWriting = true
      return verb(tx).finally(() => {
        isWriting = false
      })
    }, options)
  const { ctx: context, close } = openContext(storeWith(store, { transact }), wire, {})
  const measured = new Set<boolean>()
  const measure: typeof context.measure = (...given) => {
    measured.add(isWriting)
    return context.measure(...given)
  }
  const postern = createPostern({ ...context, measure }, close)
  onTestFinished(() => postern.close())
  await postern.agents.add({ id: 'quinn', kind: 'ai' })
  for (const content of ['one', 'two']) await postern.inbox.push({ to: ['quinn'], content })
  const { messages } = await postern.inbox.drain({ agent: 'quinn', maxCharacters: 8_000, sessionId: 's1' })
  expect(messages.map(({ content }) => content)).toEqual(['one', 'two'])
  expect(measured).toEqual(new Set([false]))
})
