import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  draftOf,
  openTestBus,
  PROJECT,
  plant,
  plantEntries,
  plantedId,
  TASK,
} from '../../../test/helpers/bus/bus-files.ts'

describe('the list', () => {
  it('has every bus below the root, and those that lie elsewhere', async () => {
    const outside = openTestBus()
    plantEntries(outside.path, 2)
    const { shelf, root, path } = openTestBus({ files: { 'far/away': outside.path } })
    await shelf.append(PROJECT, draftOf('of the project', PROJECT))
    plantEntries(path, 3)
    plant(`${root}/atlas/attachments/file.txt`, '')
    plant(`${root}/.git/PROJECT-MESSAGE-BUS.md`, '')
    plant(`${root}/empty/PROJECT-MESSAGE-BUS.md`, '')
    expect(await shelf.list()).toEqual([
      { ...PROJECT, bytes: expect.any(Number), lastId: await shelf.lastId(PROJECT), changedAt: expect.any(Number) },
      { ...TASK, bytes: statSync(path).size, lastId: plantedId(2), changedAt: Math.floor(statSync(path).mtimeMs) },
      { project_id: 'empty', bytes: 0, lastId: null, changedAt: expect.any(Number) },
      {
        project_id: 'far',
        task_id: 'away',
        bytes: statSync(outside.path).size,
        lastId: plantedId(1),
        changedAt: expect.any(Number),
      },
    ])
  })

  it('is empty where there is no root', async () => {
    expect(await openTestBus().shelf.list()).toEqual([])
  })

  it('leaves out what cannot be used', async () => {
    const { shelf, path } = openTestBus()
    plantEntries(path, 1)
    plant(`${dirname(dirname(path))}/task-2/TASK-MESSAGE-BUS.md/file`, '')
    expect(await shelf.list()).toMatchObject([TASK])
  })
})
