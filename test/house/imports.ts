import { posix } from 'node:path'
import { closingOf, lineOf, scan } from './scan.ts'

export interface Import {
  readonly line: number
  /** As it is written; undefined where it is computed. */
  readonly specifier: string | undefined
  readonly isTypeOnly: boolean
}

/** Every way in which a module names another: `import`, `export … from`, `import()`, `require()` and their kin. */
export function importsOf(text: string): Import[] {
  const { code, strings } = scan(text)
  const literals = new Map(strings.map((literal) => [literal.start, literal.text]))
  const found: (Import & { position: number })[] = []
  const add = (position: number, specifier: string | undefined, isTypeOnly: boolean) =>
    found.push({ position, line: lineOf(text, position), specifier, isTypeOnly })

  for (const { start, text: specifier } of strings) {
    const word = /(?:^|[^\w$.])(import|from)\s*$/.exec(code.slice(Math.max(0, start - 100), start))?.[1]
    if (word === 'import') add(start, specifier, false)
    const clause = word === 'from' ? clauseBefore(code.slice(0, start)) : undefined
    if (clause !== undefined) add(start, specifier, isTypeClause(clause))
  }
  for (const call of code.matchAll(/(?<![\w$])(?<!\.)import\s*\(|(?<![\w$])(?:require|getBuiltinModule)\s*\(/g)) {
    const open = call.index + call[0].length - 1
    const argument = code.slice(open + 1, closingOf(code, open)).search(/\S/)
    const start = open + 1 + argument
    add(start, isWholeArgument(code, start) ? literals.get(start) : undefined, false)
  }
  return found.sort((a, b) => a.position - b.position).map(({ position: _, ...rest }) => rest)
}

/** The path from the root of the repository that a relative specifier leads to. */
export function resolveImport(file: string, specifier: string): string {
  return posix.join(posix.dirname(file), specifier)
}

/** What stands between `import` or `export` and `from`. */
function clauseBefore(before: string): string | undefined {
  const start = Math.max(before.lastIndexOf('import'), before.lastIndexOf('export'))
  const clause = start < 0 ? undefined : before.slice(start + 'import'.length).replace(/from\s*$/, '')
  // A semicolon or an equals sign: the word `from` belongs to something else.
  return clause === undefined || /[;=(]/.test(clause) ? undefined : clause
}

function isTypeClause(clause: string): boolean {
  if (/^\s*type\s+[\w${*]/.test(clause) && !/^\s*type\s+from\b/.test(clause)) return true
  const names =
    /^\s*\{([^}]*)\}\s*$/
      .exec(clause)?.[1]
      ?.split(',')
      .map((name) => name.trim()) ?? []
  const given = names.filter((name) => name !== '')
  return given.length > 0 && given.every((name) => /^type\s/.test(name))
}

/** A literal with something after it, such as `'./hosts/' + name`, is computed. */
function isWholeArgument(code: string, start: number): boolean {
  return /^(['"`])\s*\1\s*[,)]/.test(code.slice(start))
}
