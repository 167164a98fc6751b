/** Every screen and its path below the base. Parts with a colon are parameters; the first match counts. */
export const SCREENS = {
  inbox: ['/inbox', '/inbox/:id'],
  decisions: ['/decisions', '/decisions/:id'],
  gates: ['/gates', '/gates/:id'],
  spaces: ['/spaces', '/spaces/:id'],
  bus: ['/bus', '/bus/:project', '/bus/:project/:task'],
  plans: ['/plans', '/plans/:id'],
  agents: ['/agents', '/agents/:id'],
  trace: ['/trace', '/trace/:id'],
  ledger: ['/ledger', '/ledger/:topic'],
  services: ['/services', '/services/:id'],
  metrics: ['/metrics'],
  doctor: ['/doctor'],
} as const satisfies Record<string, readonly string[]>

export type ScreenName = keyof typeof SCREENS

export interface Route {
  /** Null where no screen has this path. */
  readonly screen: ScreenName | null
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
}

export const BASE = '/ui'

export function parseRoute(pathname: string, search = ''): Route {
  const query = Object.fromEntries(new URLSearchParams(search))
  const path = pathname.startsWith(BASE) ? pathname.slice(BASE.length) : pathname
  const parts = path.split('/').filter((part) => part !== '')
  if (parts.length === 0) return { screen: 'inbox', params: {}, query }
  for (const [screen, templates] of Object.entries(SCREENS)) {
    for (const template of templates) {
      const params = matchParts(template.slice(1).split('/'), parts)
      if (params) return { screen: screen as ScreenName, params, query }
    }
  }
  return { screen: null, params: {}, query }
}

function matchParts(template: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  if (template.length !== parts.length) return undefined
  const params: Record<string, string> = {}
  for (const [at, wanted] of template.entries()) {
    const part = decode(parts[at] ?? '')
    if (wanted.startsWith(':')) params[wanted.slice(1)] = part
    else if (wanted !== part) return undefined
  }
  return params
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The address of a screen. Parts that are absent end the path; values of the query that are empty are left out. */
export function pathTo(
  screen: ScreenName,
  parts: readonly (string | undefined)[] = [],
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const path = [screen, ...parts.filter((part) => part !== undefined).map(encodeURIComponent)].join('/')
  const pairs = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]))
  return `${BASE}/${path}${pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : ''}`
}
