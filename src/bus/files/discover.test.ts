import { chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { NEEDS_ROOT } from '../../../test/helpers/needs.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { discoverBus } from './discover.ts'

/** A task with a folder below it. */
function makeFolders() {
  const root = temporaryFolder()
  const [project, task] = [join(root, 'atlas'), join(root, 'atlas', 'task-1')]
  const below = join(task, 'runs', 'run_1')
  mkdirSync(below, { recursive: true })
  return { root, project, task, below }
}

it('finds the nearest bus above a folder', () => {
  const { project, task, below } = makeFolders()
  writeFileSync(join(project, 'PROJECT-MESSAGE-BUS.md'), '')
  const ofProject = { place: { project_id: 'atlas' }, path: join(project, 'PROJECT-MESSAGE-BUS.md') }
  expect(discoverBus(below)).toEqual(ofProject)
  writeFileSync(join(task, 'TASK-MESSAGE-BUS.md'), '')
  const ofTask = { place: { project_id: 'atlas', task_id: 'task-1' }, path: join(task, 'TASK-MESSAGE-BUS.md') }
  expect(discoverBus(below)).toEqual(ofTask)
  expect(discoverBus(task)).toEqual(ofTask)
  expect(discoverBus(project)).toEqual(ofProject)
})

it('takes a file that does not say whose it is for that of a project', () => {
  const { task, below } = makeFolders()
  writeFileSync(join(task, 'MESSAGE-BUS.md'), '')
  expect(discoverBus(below)).toEqual({ place: { project_id: 'task-1' }, path: join(task, 'MESSAGE-BUS.md') })
})

it('passes over links, folders and names that cannot be ids', () => {
  const { project, task } = makeFolders()
  writeFileSync(join(project, 'PROJECT-MESSAGE-BUS.md'), '')
  symlinkSync(join(project, 'PROJECT-MESSAGE-BUS.md'), join(task, 'TASK-MESSAGE-BUS.md'))
  mkdirSync(join(task, 'PROJECT-MESSAGE-BUS.md'))
  const odd = join(task, 'two words')
  mkdirSync(odd)
  writeFileSync(join(odd, 'MESSAGE-BUS.md'), '')
  expect(discoverBus(odd)).toMatchObject({ place: { project_id: 'atlas' } })
})

it('passes over what another user holds out', NEEDS_ROOT, () => {
  const { task } = makeFolders()
  writeFileSync(join(task, 'MESSAGE-BUS.md'), '')
  chownSync(join(task, 'MESSAGE-BUS.md'), 12_345, 12_345)
  expect(discoverBus(task)).toBeUndefined()
})
