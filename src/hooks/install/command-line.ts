import { join } from 'node:path'
import { inQuotes } from '../../kit/pure/shell-word.ts'
import { isAgentId } from '../../model/agent.ts'
import type { HookWord, Scope, Target } from './targets.ts'

/** Where the launcher lies within our home, and our home within the user's. */
export const LAUNCHER = join('bin', 'hook')
const USUAL = `/.postern/${LAUNCHER}`

/** What a hook's command says. */
export interface HookCommand {
  readonly launcher: string
  readonly host: string
  readonly agent: string
  readonly word: HookWord | null
}

/**
 * The launcher as a shell reads it. In its usual place it is the same for every user and every version, because Codex
 * trusts a command by its hash, models see it, and a project's settings are shared.
 */
export function formatLauncherWord(
  home: string,
  userHome: string,
  { fillsHome }: Pick<Target, 'fillsHome'>,
  scope: Scope = 'user',
): string {
  const launcher = join(home, LAUNCHER)
  if (launcher !== join(userHome, USUAL) || fillsHome === 'nobody') return quoteWord(launcher)
  if (fillsHome === 'host' && !isPlain(userHome)) return quoteWord(launcher)
  // Nobody knows what the homes of those are called who share a project.
  return isPlain(userHome) && scope === 'user' ? `$HOME${USUAL}` : `"$HOME${USUAL}"`
}

export function formatCommand({ launcher, host, agent, word }: HookCommand): string {
  return [launcher, host, agent, ...(word === null ? [] : [word])].join(' ')
}

const COMMAND = /^("[^"]*"|(?:[^\s'"\\]|\\'|'[^']*')+) ([a-z-]+) ([a-z0-9_-]+)(?: (full|rewake))?$/

/** Reads a command of ours; undefined where it is somebody else's. `home` is where our things are now. */
export function parseCommand(command: unknown, home: string): HookCommand | undefined {
  const [, launcher = '', host = '', agent = '', word] =
    typeof command === 'string' ? (COMMAND.exec(command) ?? []) : []
  const path = unquoteWord(launcher)
  if (!path.endsWith(USUAL) && path !== join(home, LAUNCHER)) return undefined
  return isAgentId(agent) ? { launcher, host, agent, word: (word as HookWord | undefined) ?? null } : undefined
}

/** A word that no shell takes for anything else. */
export function quoteWord(word: string): string {
  return isPlain(word) ? word : inQuotes(word)
}

function unquoteWord(word: string): string {
  return word.replace(/^"([^"]*)"$|'([^']*)'|\\'/g, (whole, double, single) => double ?? single ?? whole.slice(1))
}

function isPlain(text: string): boolean {
  return /^[\w./@%+:,-]+$/.test(text)
}
