import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PosternError } from '../../model/errors.ts'
import { WEB_PATH } from '../../model/network/paths.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { Exchange, Reply } from '../exchange.ts'
import { matchesEtag } from '../request/etags.ts'
import { chooseCoding, readWebFiles, type WebFile } from './web-files.ts'

/** The page may load and ask nothing but what this server has, runs no text as a program, and is framed by nobody. */
const CSP = [
  "default-src 'none'",
  ...['script', 'style', 'img', 'font', 'connect', 'manifest'].map((kind) => `${kind}-src 'self'`),
  ...['base-uri', 'form-action', 'frame-ancestors'].map((rule) => `${rule} 'none'`),
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const SECURE = { 'content-security-policy': CSP, 'cross-origin-opener-policy': 'same-origin' } as const

/** Whose names hold a hash of what is in them, so that they never change. */
const HASHED = 'assets/'
const FOR_EVER = 'public, max-age=31536000, immutable'
/** To be asked for each time, and answered with 304 where nothing has changed. */
const EACH_TIME = 'no-cache'

const NOT_BUILT = `The page is not built here. Run "npm run build" in the clone of Postern, then load this again.
Everything else works without it: see "postern help", or /docs for HTTP.
`

/** Where the build puts the page: beside the executables, whether this runs from them or from the sources. */
export function webFolder(): string {
  const here = typeof __dirname === 'string' ? __dirname : import.meta.dirname
  const folders = ['web', '../../../dist/web'].map((way) => join(here, way))
  return folders.find((folder) => existsSync(folder)) ?? join(here, 'web')
}

/** The page for people. Every screen has a path of its own below it, and all of them are the same document. */
export function webPages(folder: string): readonly Endpoint[] {
  let files: ReadonlyMap<string, WebFile> | undefined
  const answer = async (exchange: Exchange, path: string): Promise<Reply> => {
    files ??= readWebFiles(folder)
    const file = files?.get(path) ?? (path.startsWith(HASHED) ? undefined : files?.get('index.html'))
    if (file) return fileReply(exchange, file, path.startsWith(HASHED) ? FOR_EVER : EACH_TIME)
    if (files) throw new PosternError('ROUTE_NOT_FOUND', { path: exchange.path })
    return { status: 503, body: NOT_BUILT, type: 'text/plain; charset=utf-8' }
  }
  const redirect = async (): Promise<Reply> => ({ status: 302, headers: { location: `${WEB_PATH}/` } })
  return [
    { route: 'GET /', name: 'web', isOpen: true, answer: redirect },
    { route: `GET ${WEB_PATH}`, name: 'web', isOpen: true, answer: redirect },
    {
      route: `GET ${WEB_PATH}/*`,
      name: 'web',
      isOpen: true,
      answer: (exchange, { rest = '' }) => answer(exchange, rest),
    },
  ]
}

/**
 * Whether a page of somebody else may lead here by a link. It opens the document, which says nothing about anybody, and
 * cannot look into it. The sign-in page decides by itself which links it accepts from where.
 */
export function isLinkable(path: string): boolean {
  return path === '/' || path === WEB_PATH || path.startsWith(`${WEB_PATH}/`)
}

function fileReply({ request }: Exchange, file: WebFile, caching: string): Reply {
  const coding = chooseCoding(file, String(request.headers['accept-encoding'] ?? ''))
  // Each coding is a version of its own.
  const etag = coding === undefined ? file.etag : file.etag.replace(/"$/, `-${coding}"`)
  const headers = {
    ...SECURE,
    'cache-control': caching,
    etag,
    vary: 'accept-encoding',
    ...(coding !== undefined && { 'content-encoding': coding }),
  }
  if (matchesEtag(request.headers['if-none-match'], etag)) return { status: 304, headers }
  const body = coding === undefined ? file.body : (file.encoded[coding] ?? file.body)
  return { status: 200, body, type: file.type, headers }
}
