import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { findProjectFile } from './config/config-file.ts'
import { projectRoot, spoolPath } from './spool-place.ts'

describe('the root of a project', () => {
  it('is that of the repository around a folder, however the folder is written', () => {
    const root = temporaryFolder()
    const folder = join(root, 'packages', 'one')
    mkdirSync(join(root, '.git'))
    mkdirSync(folder, { recursive: true })
    for (const cwd of [folder, `${folder}/`, root]) expect(projectRoot(cwd), cwd).toBe(root)
    writeFileSync(join(root, 'postern.config.json'), '{}')
    for (const cwd of [folder, `${folder}/`, root])
      expect(findProjectFile(cwd), cwd).toBe(join(root, 'postern.config.json'))
  })

  it('is the folder itself where it lies in no repository', () => {
    const folder = temporaryFolder()
    expect(projectRoot(folder)).toBe(folder)
    expect(projectRoot('/')).toBe('/')
  })

  it('has the spools below it, also where it is the root of everything', () => {
    expect(spoolPath('/srv/one', 's')).toBe('/srv/one/.runtime/inject-queue/s.jsonl')
    expect(spoolPath('/srv/one/', 's')).toBe('/srv/one/.runtime/inject-queue/s.jsonl')
    expect(spoolPath('/', 's')).toBe('/.runtime/inject-queue/s.jsonl')
  })
})
