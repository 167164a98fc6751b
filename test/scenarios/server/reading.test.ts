import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { OPERATIONS, type OperationName } from '../../../src/model/operations.ts'
import { perform } from '../../../src/operations/perform.ts'
import { INPUTS } from '../../helpers/access/inputs.ts'
import { type AccessWorld, openWorld } from '../../helpers/access/world.ts'

const READING = (Object.keys(OPERATIONS) as OperationName[]).filter((name) => OPERATIONS[name].kind === 'reads')

it('writes nothing for any reading operation, even with due work', { timeout: 60_000 }, async () => {
  const world = await openWorld({ hasUpkeep: true })
  const file = openFile(world)
  const writing: string[] = []
  for (const name of READING) {
    const input = await INPUTS[name](world, 'quinn')
    await makeWork(world, file)
    const before = file.version()
    await perform(world.server.served.postern, name, input)
    if (file.version() !== before) writing.push(name)
  }
  expect(READING.length).toBeGreaterThan(30)
  expect(writing).toEqual([])
  await world.as('quinn').inbox.drain({ agent: 'quinn' })
  const before = file.version()
  await world.server.served.postern.inbox.push({ to: ['quinn'], content: 'seen by the check' })
  expect(file.version()).not.toBe(before)
})

/** A broadcast that nobody has taken up, a message that is due again, a gate whose time has come, and nothing indexed. */
async function makeWork({ as, mark }: AccessWorld, file: File): Promise<void> {
  const justin = as('justin')
  await justin.inbox.push({ to: ['all'], content: mark() })
  const { id } = await justin.inbox.push({ to: ['quinn'], content: mark() })
  await justin.inbox.snooze({ agent: 'quinn', ids: [id], untilAt: Date.now() + 60_000 })
  await justin.gates.create({ agent: 'quinn', kind: 'timer', afterMs: 60_000, reason: mark() })
  file.run('UPDATE deliveries SET snoozed_until = 1 WHERE snoozed_until IS NOT NULL')
  file.run(`UPDATE gates SET until_at = 1, next_at = 1 WHERE state = 'open' AND until_at IS NOT NULL`)
}

interface File {
  run(statement: string): void
  /** Another number after every commit of another connection. */
  version(): unknown
}

function openFile({ home }: AccessWorld): File {
  const path = join(home, 'postern.db')
  const [writer, reader] = [new DatabaseSync(path), new DatabaseSync(path, { readOnly: true })]
  onTestFinished(() => {
    writer.close()
    reader.close()
  })
  const version = reader.prepare('PRAGMA data_version')
  return { run: (statement) => writer.exec(statement), version: () => Object.values(version.get() ?? {})[0] }
}
