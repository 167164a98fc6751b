import { describe, expect, it } from 'vitest'
import { checkHistory, describeVerdict, type HistoryEvent } from '../helpers/history.ts'
import { READERS, type World, WRITERS } from './harness/doors.ts'
import { readAll } from './harness/history-of.ts'
import { makePlace, type Place, STORES } from './harness/place.ts'

const MESSAGES = 3

describe.each(STORES)('on the store %s', (store) => {
  it.each(
    Object.keys(READERS),
  )('%s shows the messages of every other door once and in order, until they are acknowledged', async (door) => {
    const place = await makePlace({ store })
    const server = await place.serve()
    const world: World = { place, server: () => server }
    const reader = await READERS[door]!(world, 'quinn')
    const events: HistoryEvent[] = []
    for (const [name, open] of Object.entries(WRITERS)) {
      const writer = await open(world)
      for (let number = 1; number <= MESSAGES; number++) {
        const key = `key-quinn-${name}-${number}`
        events.push({ kind: 'attempted', key, by: name })
        await writer.push('quinn', `Number ${number}: ${key}`)
        events.push({ kind: 'acknowledged', key, by: name })
      }
    }
    events.push(...(await readAll(reader, 'quinn', door)))
    const verdict = checkHistory(events)
    expect(verdict, describeVerdict(verdict)).toMatchObject({ isSound: true, repeated: 0 })
    expect(verdict.shown).toBe(MESSAGES * Object.keys(WRITERS).length)
    expect(await statesOf(place)).toEqual(new Set(['acted']))
  })
})

async function statesOf(place: Place): Promise<Set<string>> {
  const { items } = await place.ask<{ items: { state: string }[] }>('inbox', 'list', '--agent', 'quinn', '--all')
  return new Set(items.map(({ state }) => state))
}
