import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BusPage, PostEntry } from '../../../src/model/bus/bus.ts'
import type { Postern } from '../../../src/model/postern.ts'

export const PROJECT = { project_id: 'conductor-loop' }
export const TASK = { ...PROJECT, task_id: 'task-docs' }
export const TASK_FILE = 'conductor-loop/task-docs/TASK-MESSAGE-BUS.md'
export const PROJECT_FILE = 'conductor-loop/PROJECT-MESSAGE-BUS.md'

/** Posts on the bus of the task, and returns the id of the entry. */
export async function say(postern: Postern, body: string, more: Partial<PostEntry> = {}): Promise<string> {
  return (await postern.bus.post({ ...TASK, body, ...more })).msg_id
}

export function bodies({ items }: Pick<BusPage, 'items'>): string[] {
  return items.map(({ body }) => body)
}

/** All that lies in a file of the buses; nothing where it is not there. */
export function textOf(root: string, file: string): string {
  return existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : ''
}

/** Writes as another program would. */
export function scribble(root: string, file: string, text: string): void {
  const path = join(root, file)
  mkdirSync(dirname(path), { recursive: true })
  appendFileSync(path, text)
}

/** An entry as other implementations of the seed write it. */
export function foreign(msgId: string, body: string, header: Readonly<Record<string, string>> = {}): string {
  const fields = { msg_id: msgId, ts: '2026-01-15T09:00:00Z', type: 'FACT', project_id: 'conductor-loop', ...header }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`)
  return `---\n${lines.join('')}---\n${body}\n`
}
