import { connection } from '../live/connection.ts'
import { IconButton, Key } from '../parts/bits.tsx'
import { Icon } from '../parts/icon.tsx'
import { Avatar } from '../parts/who.tsx'
import { pathTo, type ScreenName } from '../router/route.ts'
import { route } from '../router/router.ts'
import { myDecisions, openGates } from '../state/decisions.ts'
import { nameOf } from '../state/directory.ts'
import { waitingCount } from '../state/inbox.ts'
import { caller, leave } from '../state/me.ts'
import { openLayer } from './layers.ts'
import { PLACE_GROUPS, type Place } from './places.ts'
import { nextTheme, theme } from './theme.ts'

function countOf(screen: ScreenName): number {
  if (screen === 'inbox') return waitingCount.value
  if (screen === 'decisions') return myDecisions.value.length
  return screen === 'gates' ? (openGates.value.value?.length ?? 0) : 0
}

export function PlaceLink({ place }: { readonly place: Place }) {
  const isHere = route.value.screen === place.screen
  const count = countOf(place.screen)
  return (
    <a class="place" href={pathTo(place.screen)} aria-current={isHere ? 'page' : undefined}>
      <Icon name={place.icon} />
      <span class="place-title">{place.title}</span>
      {count > 0 && (
        <span class={`count ${place.screen === 'inbox' ? 'count-loud' : ''}`} title={`${count} waiting`}>
          {count > 999 ? '999+' : count}
        </span>
      )}
    </a>
  )
}

export function Side() {
  return (
    <nav class="side" aria-label="Screens">
      <a class="brand" href={pathTo('inbox')}>
        <img src="/ui/icon.svg" alt="" width="22" height="22" />
        <span>Postern</span>
      </a>
      <button type="button" class="search-button" onClick={() => openLayer('palette')}>
        <Icon name="search" />
        <span>Search</span>
        <Key keys="mod+k" />
      </button>
      <div class="side-places">
        {PLACE_GROUPS.map(({ title, places }) => (
          <section key={title} aria-label={title}>
            <h2 class="side-title">{title}</h2>
            {places.map((place) => (
              <PlaceLink key={place.screen} place={place} />
            ))}
          </section>
        ))}
      </div>
      <SideFoot />
    </nav>
  )
}

export function SideFoot() {
  const who = caller.value
  return (
    <div class="side-foot">
      <div class="side-me">
        <ConnectionMark />
        <IconButton
          icon={theme.value === 'dark' ? 'moon' : 'sun'}
          label={`Theme: ${theme.value}`}
          onClick={nextTheme}
        />
        <IconButton icon="keyboard" label="Keys" keys="?" onClick={() => openLayer('help')} />
      </div>
      <div class="side-me">
        {who && <Avatar id={who.id} />}
        <span class="side-name" title={who ? `${who.id} · ${who.kind}` : ''}>
          {who ? nameOf(who.id) : '…'}
        </span>
        <IconButton icon="leave" label="Sign out" onClick={() => void leave()} />
      </div>
    </div>
  )
}

const WORDS = {
  connecting: 'Connecting',
  live: 'Live',
  resting: 'Resting',
  lost: 'Connection lost',
  'signed-out': 'Signed out',
} as const

export function ConnectionMark() {
  const state = connection.value
  return (
    <div class={`connection connection-${state}`} role="status" aria-live="polite" data-state={state}>
      <span class="connection-dot" aria-hidden="true" />
      {WORDS[state]}
    </div>
  )
}
