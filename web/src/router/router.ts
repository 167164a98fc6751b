import { signal } from '@preact/signals'
import { BASE, parseRoute, pathTo, type Route, type ScreenName } from './route.ts'

const current = (): Route => parseRoute(location.pathname, location.search)

/** Where the person is. Changes with the history of the browser. */
export const route = signal<Route>(current())

interface Going {
  /** In the place of the present address, so that "back" does not lead through it. */
  readonly replace?: boolean
}

export function navigate(path: string, { replace = false }: Going = {}): void {
  if (`${location.pathname}${location.search}` !== path) {
    if (replace) history.replaceState(null, '', path)
    else history.pushState(null, '', path)
  }
  route.value = current()
}

export function goTo(screen: ScreenName, parts: readonly (string | undefined)[] = [], going: Going = {}): void {
  navigate(pathTo(screen, parts), going)
}

/** The present screen with another query. */
export function setQuery(
  changes: Readonly<Record<string, string | undefined>>,
  going: Going = { replace: true },
): void {
  const pairs = Object.entries({ ...route.value.query, ...changes }).filter((pair): pair is [string, string] =>
    Boolean(pair[1]),
  )
  navigate(`${location.pathname}${pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : ''}`, going)
}

/** Links within the page change the screen without loading it again; all others are left to the browser. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    route.value = current()
  })
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    if (!link || !isPlain || event.defaultPrevented || link.target !== '' || link.hasAttribute('download')) return
    if (link.hash !== '' || link.origin !== location.origin || !`${link.pathname}/`.startsWith(`${BASE}/`)) return
    event.preventDefault()
    navigate(`${link.pathname}${link.search}`)
  })
}
