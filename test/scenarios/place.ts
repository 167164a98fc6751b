import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Postern } from '../../src/model/postern.ts'
import type { makePlace, Place } from '../faults/harness/hook.ts'
import { shareCompiledCode } from '../helpers/compiled-code.ts'
import { copyStore } from '../helpers/store-template.ts'
import { fastFolder } from '../helpers/temp.ts'

/** A project and a home as `makePlace` makes them, in memory and from a store that was set up once. */
export async function makeFastPlace(config: Parameters<typeof makePlace>[0] = {}): Promise<Place> {
  const folder = fastFolder()
  const [home, project] = [join(folder, 'home'), join(folder, 'project')]
  await copyStore(home, addPeople)
  writeFileSync(join(home, 'config.json'), JSON.stringify(config))
  mkdirSync(join(project, '.git'), { recursive: true })
  shareCompiledCode(home)
  return { home, project }
}

async function addPeople({ agents }: Postern): Promise<void> {
  await agents.add({ id: 'quinn' })
  await agents.add({ id: 'robin' })
  await agents.add({ id: 'justin', kind: 'human' })
}
