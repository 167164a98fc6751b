import { hidePassword } from '../../kit/pure/passwords.ts'
import { PosternError } from '../../model/errors.ts'

/** What may stand in a URL for the driver but not for PostgreSQL's own programs. */
const DRIVER_ONLY = ['ssl', 'uselibpqcompat', 'encoding', 'keepAlive']

/** A store's URL in the two parts that must never be shown together. */
export interface StoreUrl {
  /** Fit to be shown, and to be handed to PostgreSQL's own programs. */
  readonly location: string
  readonly password: string | undefined
}

export function parseStoreUrl(url: string): StoreUrl {
  const parsed = parse(url)
  const password = parsed.password || parsed.searchParams.get('password') || undefined
  parsed.password = ''
  for (const name of ['password', ...DRIVER_ONLY]) parsed.searchParams.delete(name)
  // URLSearchParams writes a space as "+", which PostgreSQL's programs would take for a plus sign.
  const location = parsed.href.replace(/\?.*$/, (query) => query.replaceAll('+', '%20'))
  return { location, password: password === undefined ? undefined : decode(password) }
}

function parse(url: string): URL {
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new PosternError('STORE_URL_INVALID', { store: hidePassword(url) })
  }
  return new URL(url)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
