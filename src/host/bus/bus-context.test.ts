import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { findBus, locateBus, requireBus } from './bus-context.ts'

const ROOT = '/nowhere/run-agent'
const NOWHERE = { flags: {}, env: {}, cwd: '/', root: ROOT }

function touch(path: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '')
  return path
}

describe('a name', () => {
  it('is enough, and says nothing of where files lie', () => {
    expect(findBus({ ...NOWHERE, flags: { project: 'p', task: 't', run: 'r' } })).toEqual({
      place: { project_id: 'p', task_id: 't' },
      runId: 'r',
      files: {},
      origin: 'named',
    })
  })

  it('of a project means its own bus, also within a run of one of its tasks', () => {
    const env = { JRUN_PROJECT_ID: 'p', JRUN_TASK_ID: 't', JRUN_ID: 'run_1' }
    expect(findBus({ ...NOWHERE, env, flags: { project: 'p' } })).toMatchObject({
      place: { project_id: 'p' },
      runId: 'run_1',
    })
  })

  it('of another project than that of the run leaves the run out', () => {
    const env = { JRUN_PROJECT_ID: 'p', JRUN_TASK_ID: 't', JRUN_ID: 'run_1', JRUN_TASK_FOLDER: '/elsewhere/p/t' }
    const context = findBus({ ...NOWHERE, env, flags: { project: 'q', task: 't' } })
    expect(context).toMatchObject({ place: { project_id: 'q', task_id: 't' }, files: {} })
    expect(context?.runId).toBeUndefined()
  })

  it('of a task alone is one of the project that would be meant without it', () => {
    const env = { JRUN_PROJECT_ID: 'p', JRUN_TASK_ID: 't' }
    expect(findBus({ ...NOWHERE, env, flags: { task: 'u' } })?.place).toEqual({ project_id: 'p', task_id: 'u' })
    expect(findBus({ ...NOWHERE, flags: { task: 'u' } })).toBeUndefined()
    const folder = join(temporaryFolder(), 'p')
    touch(join(folder, 'PROJECT-MESSAGE-BUS.md'))
    expect(findBus({ ...NOWHERE, cwd: folder, flags: { task: 'u' } })).toMatchObject({
      place: { project_id: 'p', task_id: 'u' },
      files: { 'p/u': join(folder, 'u', 'TASK-MESSAGE-BUS.md') },
    })
  })
})

describe('a run', () => {
  it('names its bus by ids, which lies below the root unless a folder says otherwise', () => {
    const env = { JRUN_PROJECT_ID: 'p', JRUN_TASK_ID: 't', JRUN_ID: 'run_1', JRUN_PARENT_ID: 'run_0' }
    const context = requireBus({ ...NOWHERE, env })
    expect(context).toEqual({
      place: { project_id: 'p', task_id: 't' },
      runId: 'run_1',
      files: {},
      origin: 'run',
    })
    expect(locateBus(context, ROOT)).toEqual({ path: `${ROOT}/p/t/TASK-MESSAGE-BUS.md`, exists: false })
    const inRoot = { ...env, JRUN_TASK_FOLDER: `${ROOT}/p/t`, JRUN_MESSAGE_BUS: `${ROOT}/p/t/TASK-MESSAGE-BUS.md` }
    expect(findBus({ ...NOWHERE, env: inRoot })?.files).toEqual({})
  })

  it('has a folder elsewhere, beside which its project and other tasks lie', () => {
    const env = { JRUN_PROJECT_ID: 'p', JRUN_TASK_ID: 't', JRUN_TASK_FOLDER: '/elsewhere/p/t' }
    const files = { 'p/t': '/elsewhere/p/t/TASK-MESSAGE-BUS.md', p: '/elsewhere/p/PROJECT-MESSAGE-BUS.md' }
    expect(findBus({ ...NOWHERE, env })?.files).toEqual(files)
    expect(findBus({ ...NOWHERE, env, flags: { project: 'p', task: 't' } })?.files).toEqual(files)
    expect(findBus({ ...NOWHERE, env, flags: { task: 'u' } })?.files['p/u']).toBe('/elsewhere/p/u/TASK-MESSAGE-BUS.md')
  })

  it('may have a folder of another name, which says nothing of its neighbours', () => {
    const env = { JRUN_PROJECT_ID: 'p', JRUN_TASK_ID: 't', JRUN_TASK_FOLDER: 'over/there' }
    const context = findBus({ ...NOWHERE, env, cwd: '/elsewhere' })
    expect(context?.files).toEqual({ 'p/t': '/elsewhere/over/there/TASK-MESSAGE-BUS.md' })
  })

  it('is known by its folder, that of its task, or the file alone', () => {
    const place = { project_id: 'p', task_id: 't' }
    const file = '/elsewhere/p/t/TASK-MESSAGE-BUS.md'
    const known = [
      { JRUN_RUN_FOLDER: '/elsewhere/p/t/runs/run_1' },
      { JRUN_TASK_FOLDER: '/elsewhere/p/t' },
      { JRUN_MESSAGE_BUS: file },
    ].map((env) => findBus({ ...NOWHERE, env }))
    expect(known).toMatchObject([{ place }, { place }, { place }])
    expect(known.map((context) => context?.files['p/t'])).toEqual([file, file, file])
    expect(known[0]?.runId).toBe('run_1')
    expect(findBus({ ...NOWHERE, env: { JRUN_MESSAGE_BUS: '/elsewhere/.bashrc' } })).toBeUndefined()
    expect(findBus({ ...NOWHERE, env: { JRUN_MESSAGE_BUS: '/elsewhere/p/MESSAGE-BUS.md' } })).toMatchObject({
      place: { project_id: 'p' },
      files: { p: '/elsewhere/p/MESSAGE-BUS.md' },
    })
  })

  it('may be told of the bus of its project, which is not its own', () => {
    const env = {
      JRUN_PROJECT_ID: 'p',
      JRUN_TASK_ID: 't',
      JRUN_TASK_FOLDER: `${ROOT}/p/t`,
      JRUN_MESSAGE_BUS: '/elsewhere/PROJECT-MESSAGE-BUS.md',
    }
    expect(findBus({ ...NOWHERE, env })?.files).toEqual({})
  })

  it('is not there where its variables are empty', () => {
    const env = { JRUN_PROJECT_ID: '', JRUN_TASK_ID: '', JRUN_ID: '', JRUN_TASK_FOLDER: '', JRUN_RUN_FOLDER: '' }
    expect(findBus({ ...NOWHERE, env })).toBeUndefined()
  })
})

describe('a folder', () => {
  it('belongs to the nearest bus above it', () => {
    const root = temporaryFolder()
    const file = touch(join(root, 'p', 't', 'TASK-MESSAGE-BUS.md'))
    touch(join(root, 'p', 'PROJECT-MESSAGE-BUS.md'))
    const cwd = join(root, 'p', 't', 'runs')
    expect(findBus({ ...NOWHERE, cwd, root })).toMatchObject({
      place: { project_id: 'p', task_id: 't' },
      files: {},
      origin: 'folder',
    })
    expect(findBus({ ...NOWHERE, cwd })?.files).toEqual({
      'p/t': file,
      p: join(root, 'p', 'PROJECT-MESSAGE-BUS.md'),
    })
    expect(findBus({ ...NOWHERE, cwd, env: { JRUN_PROJECT_ID: 'q' } })?.place).toEqual({ project_id: 'q' })
  })

  it('of a repository may hold one that says nothing of tasks', () => {
    const folder = join(temporaryFolder(), 'repository')
    const file = touch(join(folder, 'MESSAGE-BUS.md'))
    expect(findBus({ ...NOWHERE, cwd: folder })).toMatchObject({ place: { project_id: 'repository' } })
    expect(findBus({ ...NOWHERE, cwd: folder })?.files).toEqual({ repository: file })
    expect(findBus({ ...NOWHERE, cwd: folder, flags: { task: 't' } })?.files).toEqual({ repository: file })
  })
})

it('says what is missing where nothing tells which bus is meant, and never how to set a variable', () => {
  expect(() => requireBus(NOWHERE)).toThrow(expect.objectContaining({ code: 'BUS_UNNAMED' }))
})

it.each(['..', '../x', 'a/b', 'a\0b', 'x'.repeat(4_096), ''])('makes no path of the id %j', (id) => {
  const env = { JRUN_PROJECT_ID: 'p', JRUN_TASK_ID: 't', JRUN_TASK_FOLDER: '/elsewhere/p/t' }
  const refused = expect.objectContaining({ code: 'BUS_ID_INVALID' })
  expect(() => locateBus(requireBus({ ...NOWHERE, env, flags: { task: id } }), ROOT)).toThrow(refused)
  expect(() => locateBus(requireBus({ ...NOWHERE, flags: { project: id } }), ROOT)).toThrow(refused)
})
