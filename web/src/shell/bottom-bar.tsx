import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { openLayer } from './layers.ts'
import { PLACE_GROUPS, PLACES } from './places.ts'
import { PlaceLink, SideFoot } from './side.tsx'

const SHORT: readonly string[] = ['inbox', 'decisions', 'gates', 'spaces']

/** The side of a phone: the screens that are looked at most, and a way to the others. */
export function BottomBar() {
  return (
    <nav class="bottom-bar" aria-label="Main screens">
      {PLACES.filter(({ screen }) => SHORT.includes(screen)).map((place) => (
        <PlaceLink key={place.screen} place={place} />
      ))}
      <button type="button" class="place" onClick={() => openLayer('menu')} aria-haspopup="dialog">
        <Icon name="more" />
        <span class="place-title">More</span>
      </button>
    </nav>
  )
}

export function Menu({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="All screens" onClose={onClose} kind="menu">
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the links in it are what is used; this only closes the menu behind them */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
      <div class="menu" onClick={(event) => event.target instanceof Element && event.target.closest('a') && onClose()}>
        <button type="button" class="place" onClick={() => openLayer('palette')}>
          <Icon name="search" />
          <span class="place-title">Search</span>
        </button>
        {PLACE_GROUPS.flatMap(({ places }) => places).map((place) => (
          <PlaceLink key={place.screen} place={place} />
        ))}
      </div>
      <SideFoot />
    </Dialog>
  )
}
