import { BUS_TYPES, type BusEntry } from '../../../../src/model/bus/entry.ts'
import { meaningOf } from '../../../../src/model/bus/meaning.ts'
import { Icon } from '../../parts/icon.tsx'
import { route, setQuery } from '../../router/router.ts'

interface TypeBarProps {
  readonly entries: readonly BusEntry[]
  /** The only issue that is shown. */
  readonly issue: string | undefined
  readonly isFollowing: boolean
  onFollow(): void
}

/** The types that are shown, as the address says; none means all. */
export function chosenTypes(): readonly string[] {
  const { types = '' } = route.value.query
  return types === '' ? [] : types.split(',')
}

/** Chips that choose what is shown, and whether news is followed. */
export function TypeBar({ entries, issue, isFollowing, onFollow }: TypeBarProps) {
  const chosen = chosenTypes()
  function toggle(type: string): void {
    const changed = chosen.includes(type) ? chosen.filter((each) => each !== type) : [...chosen, type]
    setQuery({ types: changed.join(',') || undefined })
  }
  return (
    <div class="bus-bar">
      {/* biome-ignore lint/a11y/useSemanticElements: no field of a form */}
      <div class="type-chips" role="group" aria-label="Types">
        {typesOf(entries).map(([type, count]) => (
          <button
            key={type}
            type="button"
            class={`type-chip type-${type.toLowerCase()}`}
            aria-pressed={chosen.includes(type)}
            onClick={() => toggle(type)}
          >
            {type} <span>{count}</span>
          </button>
        ))}
        {issue !== undefined && (
          <button type="button" class="type-chip" aria-pressed="true" onClick={() => setQuery({ issue: undefined })}>
            issue {issue} <Icon name="close" size={10} />
          </button>
        )}
      </div>
      <button type="button" class="follow" aria-pressed={isFollowing} onClick={onFollow}>
        {isFollowing ? 'Following' : 'Follow'}
      </button>
    </div>
  )
}

/** The types that occur, those of the seed in their order first. */
function typesOf(entries: readonly BusEntry[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const { type } of entries) counts.set(meaningOf(type), (counts.get(meaningOf(type)) ?? 0) + 1)
  const known: readonly string[] = BUS_TYPES
  const rank = (type: string) => (known.includes(type) ? known.indexOf(type) : known.length)
  return [...counts].sort(([one], [other]) => rank(one) - rank(other) || one.localeCompare(other))
}
