import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { makeProject, namesIn, plantFile, type TestProject } from '../../helpers/handoff/projects.ts'
import { campaign, FULL } from '../../helpers/tier.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { figures } from '../harness/need.ts'
import { startVictim, type Victim } from './victims.ts'

const WRITERS = { quick: 12, full: 50, long: 20_000, most: 50 }

describe('processes that leave an item in the same second', () => {
  campaign(
    'processes that leave items in the same second leave as many files, and no reader sees half of one',
    WRITERS,
    async (writers) => {
      verifies('S004.files.at-once')
      const project = await makeProject()
      await project.shelf.init(project.place)
      const seen = new Set<string>()
      const looks = await leaveAtOnce(project, { writers }, async () => {
        const { items, refused } = await project.shelf.look(project.place)
        expect(refused).toEqual([])
        for (const { type, body } of items) seen.add(`${type} ${body}`)
      })
      const { items } = await project.shelf.look(project.place)
      const bodies = items.map(({ body }) => body).sort()
      figures('handoff', `${items.length} items of ${writers} processes, ${looks} looks meanwhile`)
      expect(bodies).toEqual(Array.from({ length: writers }, (_, nth) => bodyOf(nth)).sort())
      expect([...seen].filter((each) => !bodies.includes(each.replace('learning ', '')))).toEqual([])
      expect(namesIn(project.inbox)).toEqual([...items.map(({ name }) => name), 'processed', 'quarantine'].sort())
      expect(new Set(items.map(({ name }) => name.split('-')[0])).size).toBe(1)
    },
  )

  it('finds planted processes that name their files as the seed does', FULL, async () => {
    const project = await makeProject()
    mkdirSync(project.inbox)
    await leaveAtOnce(project, { writers: 5, plant: 'seed-names' }, async () => {})
    expect(namesIn(project.inbox)).toHaveLength(1)
  })
})

describe('processes that take out the same items at once', () => {
  it.each([
    ['', undefined],
    [', also where a file has only one name', 'no-links'],
  ] as const)('take out each once, and leave nothing else%s', async (_, plant) => {
    verifies('S004.files.at-once')
    const { shelf, place, root, inbox } = await makeProject()
    await shelf.init(place)
    const names = Array.from({ length: 20 }, (_, nth) => `${1_736_528_400 + nth}-learning.md`)
    for (const name of names) plantFile(join(inbox, name), name)
    for (const name of names) plantFile(join(inbox, 'quarantine', name), `older ${name}`)
    await atOnce(Array.from({ length: 6 }, () => ({ root, act: 'archive', waits: true, plant })))
    expect((await shelf.look(place)).items).toEqual([])
    const { items, refused } = await shelf.processed(place)
    expect(items.map(({ body }) => body).sort()).toEqual([...names, ...names.map((name) => `older ${name}`)])
    expect(refused).toEqual([])
  })
})

const bodyOf = (nth: number) => `item ${nth} ${'x'.repeat(nth * 100)}`

interface Crowd extends Pick<Victim, 'plant'> {
  readonly writers: number
}

async function leaveAtOnce(
  { root }: TestProject,
  { writers, plant }: Crowd,
  look: () => Promise<void>,
): Promise<number> {
  const victims = Array.from({ length: writers }, (_, nth) => {
    return { root, act: 'leave', body: bodyOf(nth), waits: true, plant } as const
  })
  return atOnce(victims, look)
}

/** Starts them all, lets them go together, and looks on until they are done. */
async function atOnce(victims: readonly Victim[], look = async () => {}): Promise<number> {
  const crowd = victims.map((victim) => startVictim(victim))
  await Promise.all(crowd.map(({ stdout }) => once(createInterface({ input: stdout! }), 'line')))
  let isOver = false
  const ends = Promise.all(crowd.map((writer) => once(writer, 'exit'))).then((codes) => {
    isOver = true
    return codes
  })
  for (const { stdin } of crowd) stdin?.end('go\n')
  let looks = 0
  for (; !isOver; looks++) {
    await look()
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect((await ends).map(([code]) => code)).toEqual(crowd.map(() => 0))
  return looks
}
