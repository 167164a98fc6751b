import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { sha256 } from '../../kit/node/crypto.ts'

/** A file of the page, as it was built. */
export interface WebFile {
  readonly body: Uint8Array
  readonly type: string
  readonly etag: string
  /** The same, by the codings that the build has made of it. */
  readonly encoded: Readonly<Partial<Record<Coding, Uint8Array>>>
}

/** Those that the build makes, the smallest first. */
const CODINGS = { br: '.br', gzip: '.gz' } as const

export type Coding = keyof typeof CODINGS

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
}

const ETAG_CHARACTERS = 32

/** All files below a folder by their paths, or undefined where there is none. They are few, small and our own. */
export function readWebFiles(folder: string): ReadonlyMap<string, WebFile> | undefined {
  const paths = listFiles(folder)
  if (!paths.includes('index.html')) return undefined
  const plain = paths.filter((path) => !Object.values(CODINGS).some((ending) => path.endsWith(ending)))
  return new Map(plain.map((path) => [path, readWebFile(folder, path, paths)]))
}

/** What a client takes of what there is; undefined where that is only the file itself. */
export function chooseCoding({ encoded }: WebFile, accepted: string): Coding | undefined {
  const taken = accepted
    .toLowerCase()
    .split(',')
    .map((each) => each.trim())
    .filter((each) => !/;\s*q=0(?:\.0*)?$/.test(each))
    .map((each) => each.split(';')[0]?.trim())
  return (Object.keys(CODINGS) as Coding[]).find((coding) => encoded[coding] !== undefined && taken.includes(coding))
}

function readWebFile(folder: string, path: string, paths: readonly string[]): WebFile {
  const body = readFileSync(join(folder, path))
  const encoded = Object.entries(CODINGS)
    .filter(([, ending]) => paths.includes(`${path}${ending}`))
    .map(([coding, ending]) => [coding, readFileSync(join(folder, `${path}${ending}`))])
  return {
    body,
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    etag: `"${sha256(body).slice(0, ETAG_CHARACTERS)}"`,
    encoded: Object.fromEntries(encoded),
  }
}

/** With `/` between their parts, whatever the system writes. */
function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
  } catch {
    return []
  }
}
