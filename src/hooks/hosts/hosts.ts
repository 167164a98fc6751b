import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import { cursor } from './cursor.ts'
import { gemini } from './gemini.ts'
import { generic } from './generic.ts'
import type { Host } from './host.ts'

/** Every host by its name, in the order in which they are listed to people. */
export const HOSTS = {
  'claude-code': claudeCode,
  codex,
  gemini,
  cursor,
  generic,
} as const satisfies Readonly<Record<string, Host>>

export type HostName = keyof typeof HOSTS

export function findHost(name: string): Host | undefined {
  return Object.hasOwn(HOSTS, name) ? HOSTS[name as HostName] : undefined
}
