import { dirname, resolve } from 'node:path'
import { parseDuration } from '../../kit/pure/duration.ts'
import { PosternError } from '../../model/errors.ts'
import { HANDOFF_LIMITS } from '../../model/handoff/item.ts'
import type { Config } from './config.ts'

/** How sessions leave things for each other. */
export interface HandoffSettings {
  /** At the root of the main repository, for all its worktrees. */
  readonly shared: boolean
  /** Where repositories leave items for each other; undefined: beside them; null: nowhere. */
  readonly sharedInbox: string | null | undefined
  /** What one inheritance may cost. */
  readonly maxTokens: number
  /** How long what was inherited is kept; null: until somebody cleans up. */
  readonly keepProcessedMs: number | null
}

/** `harvest` is a gate of every session: whoever reads those understands it. */
const SETTINGS = ['shared', 'sharedInbox', 'maxTokens', 'keepProcessed', 'harvest']

/** What a configuration says of handoffs; apart from the rest, because few commands need it. */
export function readHandoffSettings({
  handoff,
  origins,
  home,
}: Pick<Config, 'handoff' | 'origins' | 'home'>): HandoffSettings {
  const invalid = (name: string, reason: string) =>
    new PosternError('CONFIG_INVALID', {
      path: origins[`handoff.${name}`] ?? home,
      reason: `"handoff.${name}" ${reason}`,
    })
  for (const name of Object.keys(handoff)) if (!SETTINGS.includes(name)) throw invalid(name, 'is not a setting')
  const { shared = false, sharedInbox, maxTokens = HANDOFF_LIMITS.maxTokens, keepProcessed = null } = handoff
  if (typeof shared !== 'boolean') throw invalid('shared', 'is neither true nor false')
  if (sharedInbox != null && (typeof sharedInbox !== 'string' || sharedInbox === '')) {
    throw invalid('sharedInbox', 'is neither a folder nor null')
  }
  const isCount = typeof maxTokens === 'number' && Number.isSafeInteger(maxTokens) && maxTokens >= 1
  if (!isCount || maxTokens > HANDOFF_LIMITS.mostTokens) {
    throw invalid('maxTokens', `is not a whole number from 1 to ${HANDOFF_LIMITS.mostTokens}`)
  }
  const keepProcessedMs = typeof keepProcessed === 'string' ? parseDuration(keepProcessed) : null
  if (keepProcessedMs === undefined || (typeof keepProcessed !== 'string' && keepProcessed !== null)) {
    throw invalid('keepProcessed', 'is no duration, such as "30d"')
  }
  const named = sharedInbox as string | null | undefined
  return { shared, sharedInbox: named && absolute(named, origins), maxTokens, keepProcessedMs }
}

/** A file that names a folder means one beside itself. */
function absolute(folder: string, origins: Config['origins']): string {
  return resolve(dirname(origins['handoff.sharedInbox'] ?? ''), folder)
}
