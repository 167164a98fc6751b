import { describe, expect, it } from 'vitest'
import { pushExpensive } from '../../../test/helpers/drains/expensive-texts.ts'
import { openWatched } from '../../../test/helpers/drains/watched-drains.ts'

const HOOK = { agent: 'quinn', maxCharacters: 8_000, sessionId: 's1' }
const LARGE = { agent: 'quinn', maxCharacters: 1_000_000_000 }
const UNPRINTED_MS = 30_000

describe('a drain measures messages while others can write', () => {
  it('if nothing but pending messages waits', async () => {
    const { postern, measured } = await openWatched()
    for (const content of ['one', 'two']) await postern.inbox.push({ to: ['quinn'], content })
    const { messages } = await postern.inbox.drain(HOOK)
    expect(messages.map(({ content }) => content)).toEqual(['one', 'two'])
    expect(measured.while).toEqual(new Set(['free']))
  })

  it('if it takes back a lapsed offer first', async () => {
    const { postern, measured, advance } = await openWatched()
    await postern.inbox.push({ to: ['quinn'], content: 'one' })
    await postern.inbox.drain({ agent: 'quinn' })
    advance(UNPRINTED_MS + 1)
    const { messages } = await postern.inbox.drain(HOOK)
    expect(messages).toMatchObject([{ content: 'one', attempt: 2 }])
    expect(measured.while).toEqual(new Set(['free']))
  })

  it('if it expands a broadcast first', async () => {
    const { postern, measured } = await openWatched()
    await postern.inbox.push({ to: ['all'], content: 'one' })
    const { messages } = await postern.inbox.drain({ agent: 'quinn', maxCharacters: 8_000 })
    expect(messages.map(({ content }) => content)).toEqual(['one'])
    expect(measured.while).toEqual(new Set(['free']))
  })

  it('if another drain takes the same messages first', async () => {
    const watched = await openWatched()
    const { postern, measured } = watched
    await pushExpensive(postern, ['x'], 2)
    await postern.inbox.push({ to: ['quinn'], content: 'left over' })
    let taken: Promise<unknown> | undefined
    watched.onPause(() => {
      taken ??= postern.inbox.drain({ agent: 'quinn', maxMessages: 2, boundsCritical: true })
    })
    const { messages } = await postern.inbox.drain(LARGE)
    await taken
    expect(messages.map(({ content }) => content)).toEqual(['left over'])
    expect(measured.while).toEqual(new Set(['free']))
  })
})

it('lets a push finish while a drain measures', async () => {
  const watched = await openWatched()
  const { postern } = watched
  await pushExpensive(postern, ['x'], 20)
  const finished: string[] = []
  let pushed: Promise<unknown> | undefined
  watched.onPause(() => {
    pushed ??= postern.inbox.push({ to: ['quinn'], content: 'beside it' }).then(() => finished.push('push'))
  })
  const { messages } = await postern.inbox.drain(LARGE)
  finished.push('drain')
  await pushed
  expect(finished).toEqual(['push', 'drain'])
  expect(messages).toHaveLength(20)
})
