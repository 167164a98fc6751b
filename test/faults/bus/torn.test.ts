import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  ALL,
  foreignEntry,
  openTestBus,
  plant,
  plantedEntry,
  plantedId,
  post,
  TASK,
  type TestBus,
  textOf,
} from '../../helpers/bus/bus-files.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { figures } from '../harness/need.ts'

const BEFORE = Buffer.concat([plantedEntry(0), plantedEntry(1, 'two\nlines')])

/** Bodies of which a part could be taken for something else. */
const LAST: Readonly<Record<string, Buffer>> = {
  'a plain body': plantedEntry(2, 'the last'),
  'rules in the body': plantedEntry(2, '---\nmsg_id: FORGED\n---\nforged\n-----\n'),
  'returns in the body': plantedEntry(2, 'one\r\n---\r\n\r\ntwo\r'),
  'bytes that are no text': plantedEntry(2, Buffer.from([0xff, 0x0a, 0xe2, 0x80, 0xa8, 0x2d, 0x2d, 0x2d, 0x00])),
  'an empty body': plantedEntry(2, ''),
  'an entry of another program': Buffer.from(foreignEntry(plantedId(2), 'of another')),
}

describe.each(Object.entries(LAST))('the last entry, with %s, cut at every byte', (name, last) => {
  it('hides nothing, and is told', async () => {
    verifies('G12.torn')
    const faults = await cutEverywhere(last, async ({ shelf }) => void (await post(shelf, 'new')))
    figures('bus torn', `${name}: ${last.length} cuts, ${faults.length} faults`)
    expect(faults).toEqual([])
  })
})

it('would be found out if a writer closed nothing', async () => {
  const faults = await cutEverywhere(plantedEntry(2), async ({ path }) => appendFileSync(path, plantedEntry(9, 'new')))
  expect(faults).toContainEqual(expect.stringContaining('the new one is not there'))
})

it('would be found out if a writer cut off what is torn', async () => {
  const faults = await cutEverywhere(plantedEntry(2), async ({ path }) =>
    plant(path, Buffer.concat([BEFORE, plantedEntry(9, 'new')])),
  )
  expect(faults).toContainEqual(expect.stringContaining('was changed'))
})

/** Writes after every beginning of an entry, and says what is wrong then. */
async function cutEverywhere(last: Buffer, write: (bus: TestBus) => Promise<void>): Promise<string[]> {
  const bus = openTestBus({ root: join(fastFolder(), 'root') })
  const faults: string[] = []
  for (let length = 0; length <= last.length; length++) {
    rmSync(bus.path, { force: true })
    plant(bus.path, Buffer.concat([BEFORE, last.subarray(0, length)]))
    await write(bus)
    faults.push(...(await inspect(bus, last, length)).map((fault) => `cut at ${length}: ${fault}`))
  }
  return faults
}

async function inspect({ shelf, path }: TestBus, last: Buffer, length: number): Promise<string[]> {
  const cut = Buffer.concat([BEFORE, last.subarray(0, length)])
  const { items, faults } = await shelf.read(TASK, ALL)
  const ids = items.map(({ msg_id }) => msg_id)
  const isThere = ids.includes(plantedId(2))
  const isTold = faults.some(({ offset, bytes }) => offset >= BEFORE.length && offset + bytes <= cut.length + 40)
  const isOther = textOf(path).slice(0, cut.toString().length) !== cut.toString()
  const strangers = items.filter(({ msg_id, body }) => !body.startsWith('new') && !KNOWN.has(msg_id))
  return [
    ...(ids[0] === plantedId(0) && ids[1] === plantedId(1) ? [] : ['an earlier one is not there']),
    ...(items.at(-1)?.body === 'new' ? [] : ['the new one is not there']),
    ...(strangers.length === 0 ? [] : [`there is ${JSON.stringify(strangers)}`]),
    ...(length === 0 || isThere || isTold ? [] : ['the torn one is not told']),
    ...(isOther ? ['what was there was changed'] : []),
  ]
}

const KNOWN = new Set([0, 1, 2].map((nth) => plantedId(nth)))
