import { useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { useKeys } from '../keys/keys.ts'
import { connection } from '../live/connection.ts'
import { Palette } from '../palette/palette.tsx'
import { Empty, Loading } from '../parts/bits.tsx'
import { Toasts } from '../parts/toasts.tsx'
import { goTo, route } from '../router/router.ts'
import { Compose } from '../screens/compose/compose.tsx'
import { waitingCount } from '../state/inbox.ts'
import { caller } from '../state/me.ts'
import { BottomBar, Menu } from './bottom-bar.tsx'
import { Guard } from './guard.tsx'
import { Help } from './help.tsx'
import { closeLayer, compose, layer, openLayer } from './layers.ts'
import { Lazy } from './lazy.tsx'
import { PLACES } from './places.ts'
import { SCREEN_LOADERS } from './screens.ts'
import { Side } from './side.tsx'
import { SignedOut } from './signed-out.tsx'
import { nextTheme } from './theme.ts'

export function App() {
  useKeys({
    title: 'Everywhere',
    shortcuts: [
      { keys: 'mod+k', label: 'Search and go', run: () => openLayer('palette'), whileTyping: true },
      { keys: '/', label: 'Search and go', run: () => openLayer('palette'), isUnlisted: true },
      { keys: 'c', label: 'Write a message', run: () => compose() },
      { keys: '?', label: 'These keys', run: () => openLayer('help') },
      { keys: 'T', label: 'Change the theme', run: nextTheme },
    ],
  })
  useKeys({
    title: 'Go to',
    shortcuts: PLACES.map(({ letter, title, screen }) => ({
      keys: `g ${letter}`,
      label: title,
      run: () => goTo(screen),
    })),
  })
  useSignalEffect(() => {
    const title = PLACES.find(({ screen }) => screen === route.value.screen)?.title ?? 'Postern'
    document.title = `${waitingCount.value > 0 ? `(${waitingCount.value}) ` : ''}${title} · Postern`
  })
  if (connection.value === 'signed-out') return <SignedOut />
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Side />
      <Screen />
      <BottomBar />
      <Toasts />
      <p class="hidden-text" role="status">
        {waitingCount.value > 0 ? `${waitingCount.value} waiting for you` : ''}
      </p>
      <Layers />
    </div>
  )
}

function Screen() {
  const { screen } = route.value
  const main = useRef<HTMLElement>(null)
  // Whoever reads by ear is told that the screen is another; nobody's focus is taken from a field.
  const before = useRef(screen)
  useEffect(() => {
    if (before.current !== screen && layer.peek() === undefined) main.current?.focus()
    before.current = screen
  }, [screen])
  return (
    <main id="main" ref={main} tabIndex={-1}>
      {connection.value === 'lost' && (
        <p class="lost" role="status">
          The server does not answer. What you see may be old; it goes on by itself as soon as it is there again.
        </p>
      )}
      {!caller.value ? (
        <Loading what="who you are" />
      ) : screen === null ? (
        <Empty icon="search" title="There is no such screen">
          Go to one with <kbd class="key">g</kbd> and a letter, or search.
        </Empty>
      ) : (
        <Guard key={screen}>
          <Lazy key={screen} name={screen} load={SCREEN_LOADERS[screen]} />
        </Guard>
      )}
    </main>
  )
}

/** They are there from the beginning: whoever opens one types at once, and must not type into the screen behind it. */
function Layers() {
  switch (layer.value) {
    case 'palette':
      return <Palette />
    case 'compose':
      return <Compose />
    case 'help':
      return <Help />
    case 'menu':
      return <Menu onClose={closeLayer} />
    default:
      return null
  }
}
