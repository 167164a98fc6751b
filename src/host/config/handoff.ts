import { parseDuration } from '../../kit/pure/duration.ts'
import { HANDOFF_LIMITS } from '../../model/handoff/item.ts'
import { parseHarvest } from './gates.ts'
import { defineGroup, isText } from './group.ts'

/** How sessions leave things for each other. */
export interface HandoffSettings {
  /** True: all worktrees use the folders at the root of the main repository. */
  readonly shared: boolean
  /** Where repositories leave items for each other; null: nowhere. */
  readonly sharedInbox: string | null
  /** Files that git tracks are inherited too. */
  readonly tracked: boolean
  /** The most tokens that one inheritance may take. */
  readonly maxTokens: number
  /** How long inherited items are kept; null: until somebody cleans up. */
  readonly keepProcessedMs: number | null
}

interface HandoffValues extends Omit<HandoffSettings, 'keepProcessedMs'> {
  /** In milliseconds. */
  readonly keepProcessed: number | null
  /** Only checked here. `config.get(GATES)` makes a gate of it. */
  readonly harvest: ReturnType<typeof parseHarvest>
}

export const HANDOFF = defineGroup<HandoffValues, HandoffSettings>(
  'handoff',
  {
    shared: {
      default: '`false`',
      help: '`true`: all worktrees use the folders of the main repository',
      parse(value = false, place) {
        if (typeof value !== 'boolean') throw place.fault('is neither true nor false')
        return value
      },
    },
    sharedInbox: {
      default: '`null`',
      help: 'the folder in which repositories leave items for each other; a relative one starts beside the file that names it; `null`: none',
      parse(value = null, place) {
        if (value === null) return value
        if (!isText(value)) throw place.fault('is neither a folder nor null')
        return place.resolve(value)
      },
    },
    tracked: {
      default: '`false`',
      help: '`true`: files that git tracks are inherited too; anybody who can push to the repository can then write to your sessions',
      parse(value = false, place) {
        if (typeof value !== 'boolean') throw place.fault('is neither true nor false')
        return value
      },
    },
    maxTokens: {
      default: '500',
      help: `about how much one inheritance may show, up to ${HANDOFF_LIMITS.mostTokens}`,
      parse(value = HANDOFF_LIMITS.maxTokens, place) {
        const isCount = typeof value === 'number' && Number.isSafeInteger(value) && value >= 1
        if (isCount && value <= HANDOFF_LIMITS.mostTokens) return value
        throw place.fault(`is not a whole number from 1 to ${HANDOFF_LIMITS.mostTokens}`)
      },
    },
    keepProcessed: {
      default: '`null`',
      help: 'a duration such as `"30d"`, after which inherited items are removed; `null`: until somebody cleans up',
      parse(value = null, place) {
        const ms = typeof value === 'string' ? parseDuration(value) : null
        if (ms === undefined || (typeof value !== 'string' && value !== null))
          throw place.fault('is no duration, such as "30d"')
        return ms
      },
    },
    harvest: {
      default: '`false`',
      help: '`true` or `"soft"` asks a session once before it ends whether it has something to leave, `"strict"` holds it until it has answered: the [gate](#gates) `harvest`',
      parse(value, place) {
        try {
          return parseHarvest(value)
        } catch {
          throw place.fault('is neither a mode nor true or false')
        }
      },
    },
  },
  ({ shared, sharedInbox, tracked, maxTokens, keepProcessed }) => ({
    shared,
    sharedInbox,
    tracked,
    maxTokens,
    keepProcessedMs: keepProcessed,
  }),
)
