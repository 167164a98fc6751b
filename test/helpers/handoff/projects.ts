import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { HandoffRoot, HandoffShelf, ItemDraft } from '../../../src/handoff/handoff-shelf.ts'
import { type OpenHandoff, openHandoff } from '../../../src/handoff/open-handoff.ts'
import { fastFolder } from '../temp.ts'

/** A repository without anything in it, and the shelf that its folders are on. */
export interface TestProject {
  readonly shelf: HandoffShelf
  readonly place: HandoffRoot
  readonly root: string
  readonly inbox: string
}

/** Repositories of one `parent` share an inbox. */
export interface ProjectOptions extends Partial<OpenHandoff> {
  readonly parent?: string
  readonly name?: string
}

export async function makeProject(options: ProjectOptions = {}): Promise<TestProject> {
  const { parent = fastFolder(), name = 'atlas', ...settings } = options
  const root = makeRepository(join(parent, name))
  const shelf = openHandoff({ sharedInbox: join(parent, 'shared-inbox'), shared: false, ...settings })
  return { shelf, place: await shelf.locate({ project: root }), root, inbox: join(root, 'inbox') }
}

export function makeRepository(root: string): string {
  mkdirSync(join(root, '.git'), { recursive: true })
  writeFileSync(join(root, '.git', 'HEAD'), 'ref: refs/heads/main\n')
  return root
}

export const DRAFT: ItemDraft = {
  type: 'learning',
  priority: 'medium',
  from_session: '2026-01-10-auth',
  created: '2026-01-10T18:30:00Z',
  to: null,
  to_repo: null,
  gate: null,
  plan: null,
  body: 'Rotate the tokens.',
  isShared: false,
}

/** Puts a file somewhere as another program would, long enough ago to be still. */
export function plantFile(path: string, text: string | Uint8Array): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  makeOld(path)
  return path
}

export function makeOld(path: string, ageMs = 10_000): void {
  const then = new Date(Date.now() - ageMs)
  utimesSync(path, then, then)
}

/** An item as the seed's script writes it. */
export function seedItem(fields: Readonly<Record<string, string>>, body: string): string {
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${value}\n`)
  return `---\n${lines.join('')}---\n\n${body}\n`
}

/** Names in a folder, without what only git cares for. */
export function namesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name !== '.gitignore' && name !== '.gitkeep')
    .sort()
}
