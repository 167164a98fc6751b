import { type Breach, type Files, sourcesOf } from './breach.ts'
import { ROOMS, roomOf } from './rooms.ts'
import { lineOf, type Scan, scan } from './scan.ts'

/** What a room may not do although it needs no import for it. */
export function checkPurity(files: Files): Breach[] {
  return sourcesOf(files).flatMap(([file, text]) => {
    const name = roomOf(file.slice('src/'.length))
    const room = name === undefined ? undefined : ROOMS[name]
    if (name === undefined || room === undefined) return []
    const scanned = scan(text)
    return RULES.filter(({ permission }) => !room[permission]).flatMap((rule) =>
      rule.find(scanned).map(({ position, what }) => {
        return { file, line: lineOf(text, position), what: `${name} ${rule.verb} ${what}`, remedy: rule.remedy }
      }),
    )
  })
}

interface Finding {
  readonly position: number
  readonly what: string
}

/** What a room may do by itself only if the table of rooms says so. */
export type Permission = 'clock' | 'env' | 'node' | 'sql'

interface Rule {
  readonly permission: Permission
  readonly verb: string
  readonly remedy: string
  find(scanned: Scan): Finding[]
}

const CLOCK = [
  /(?<![\w$.])Date\s*\.\s*now\b/g,
  /(?<![\w$.])new\s+Date\s*(?:\(\s*\)|(?![\s(\w$]))/g,
  /(?<![\w$.]|new\s)Date\s*\(\s*\)/g,
  /(?<![\w$.])Math\s*\.\s*random\b/g,
  /(?<![\w$.])performance\s*\.\s*\w+/g,
  /(?<![\w$.])crypto\s*\.\s*(?:randomUUID|getRandomValues)\b/g,
  /(?<![\w$.])(?:setTimeout|setInterval|setImmediate)\b/g,
  /(?<![\w$.])Temporal\s*\.\s*Now\b/g,
  /(?<![\w$.])AbortSignal\s*\.\s*timeout\b/g,
]

const ENVIRONMENT = [
  /(?<![\w$.])process\s*\??\.\s*env\b/g,
  /(?<![\w$.])process\s*(?:\?\.)?\[/g,
  /\{[^{}]*\benv\b[^{}]*\}\s*=\s*process\b/g,
  /import\s*(?:process\s*,\s*)?\{[^{}]*\benv\b[^{}]*\}\s*from\s*'\s*'/g,
]

const PROCESS = [
  /(?<![\w$.])process\s*\??\.\s*(?!env\b)\w+/g,
  /(?<![\w$.])Buffer\s*\./g,
  /(?<![\w$.])globalThis\s*\.\s*(?:process|Buffer)\b/g,
]

/** Capitals are how SQL is written here; the second form catches it in small letters without catching prose. */
const SQL = [
  /^\s*(?:SELECT|INSERT|UPDATE|DELETE(?! \/)|CREATE|ALTER|DROP|WITH|PRAGMA|BEGIN IMMEDIATE|VACUUM)\s/,
  /^\s*(?:select\s.+\sfrom\s|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|create\s+(?:table|index|unique|view|trigger)\s|drop\s+(?:table|index|view)\s|with\s+\w+\s+as\s*\(|pragma\s+\w+)/is,
]

const RULES: readonly Rule[] = [
  {
    permission: 'clock',
    verb: 'has a clock of its own:',
    remedy: 'time, ids, randomness and timers come in through the context or an argument',
    find: ({ code }) => findAll(code, CLOCK),
  },
  {
    permission: 'env',
    verb: 'may not read',
    remedy: 'the environment is read in host and cli; take the value as an argument',
    find: ({ code }) => findAll(code, ENVIRONMENT),
  },
  {
    permission: 'node',
    verb: 'may not touch',
    remedy: 'it has to run without Node; ask for it through the context or an argument',
    find: ({ code }) => findAll(code, PROCESS),
  },
  {
    permission: 'sql',
    verb: 'holds SQL:',
    remedy: 'put the statement on a shelf of store and give it a name there',
    find: ({ strings }) =>
      strings
        .filter(({ text }) => SQL.some((pattern) => pattern.test(text)))
        .map(({ start, text }) => ({ position: start, what: text.trim().slice(0, 30) })),
  },
]

/** What a file does that needs a permission. */
export function permissionsUsedIn(text: string): readonly Permission[] {
  const scanned = scan(text)
  return RULES.filter((rule) => rule.find(scanned).length > 0).map(({ permission }) => permission)
}

function findAll(code: string, patterns: readonly RegExp[]): Finding[] {
  return patterns.flatMap((pattern) =>
    [...code.matchAll(pattern)].map((match) => ({ position: match.index, what: match[0].replace(/\s+/g, ' ').trim() })),
  )
}
