import { type Breach, type Files, sourcesOf } from './breach.ts'
import { closingOf, lineOf, scan } from './scan.ts'

/**
 * A verb awaits its `tx` and nothing else. On SQLite concurrent verbs share one commit, so whoever waits for something
 * outside holds up everybody; on PostgreSQL a verb may run again, so whatever it awaited would happen twice.
 *
 * The parameters of a function show whether it may run in a transaction: it takes `tx`, the
 * `Shelves`, or one of the CARRIERS. All code in such a function is checked. So what `transact` hands over must be called
 * `tx`, which is checked too, and a LedgerTx that is made of it `ltx`.
 */
export function checkAwaits(files: Files): Breach[] {
  return sourcesOf(files)
    .filter(([file]) => file.startsWith('src/core/'))
    .flatMap(([file, text]) => {
      const { code } = scan(text)
      return [...foreignAwaits(code), ...misnamed(code)].map(({ position, ...rest }) => ({
        file,
        line: lineOf(text, position),
        ...rest,
      }))
    })
}

/** Types that carry the shelves of a transaction, under the name `tx`. */
const CARRIERS = '(?:LedgerTx|Intake)'

/** `tx` or a writer made of it; the shelves or a carrier under any name; or what a function takes out of a carrier. */
const TRANSACTION_PARAMETER = new RegExp(
  [
    '^\\s*(tx|entryWriter)\\s*\\??\\s*(?::|=(?!>)|$)',
    `^\\s*(\\w+)\\s*\\??\\s*:\\s*(?:Shelves|${CARRIERS})\\b`,
    `^\\s*(\\{[^]*\\})\\s*:\\s*${CARRIERS}\\b`,
  ].join('|'),
)

/** What goes by these names is of the transaction: the shelves, a LedgerTx, or a writer of entries that is made of one. */
const CARRIED_NAMES: readonly string[] = ['tx', 'ltx', 'entryWriter']

interface Finding {
  readonly position: number
  readonly what: string
  readonly remedy: string
}

function foreignAwaits(code: string): Finding[] {
  const scopes = transactionScopes(code)
  const found: Finding[] = []
  for (const { index } of code.matchAll(/(?<![\w$.])await(?![\w$])/g)) {
    const names = scopes.filter(({ start, end }) => start < index && index < end).map(({ name }) => name)
    const start = index + 'await'.length
    const expression = code.slice(start, endOfExpression(code, start)).trim()
    if (names.length === 0 || isOfTransaction(expression, names)) continue
    const what = `a verb awaits "${expression.replace(/\s+/g, ' ').slice(0, 40)}" within its transaction`
    found.push({
      position: index,
      what,
      remedy: 'await only what tx gives; do the rest before it begins or after it ends',
    })
  }
  return found
}

function isOfTransaction(expression: string, names: readonly string[]): boolean {
  if (/\bstore\s*\.\s*(?:transact|single|read)\b/.test(expression)) return false
  return [...names, ...CARRIED_NAMES].some((name) => new RegExp(`(?<![\\w$.])${name}(?![\\w$])`).test(expression))
}

/** Callbacks that get the shelves of a transaction under another name. */
function misnamed(code: string): Finding[] {
  const callbacks = /\.\s*(?:transact|single)\s*(?:<[^()]*>)?\(\s*(?:async\s*)?(?:\(\s*(\w+)\b[^()]*\)|(\w+))\s*=>/g
  return [...code.matchAll(callbacks)].flatMap((match) => {
    const name = match[1] ?? match[2]
    const what = `the transaction is called ${name}`
    return name === 'tx' ? [] : [{ position: match.index, what, remedy: 'call it tx, so that its awaits are checked' }]
  })
}

interface Scope {
  readonly start: number
  readonly end: number
  /** What the transaction is called in it. */
  readonly name: string
}

/** From where to where code runs within a transaction. */
function transactionScopes(code: string): Scope[] {
  const scopes: Scope[] = []
  for (const { index: open } of code.matchAll(/\(/g)) {
    const close = closingOf(code, open)
    for (const parameter of splitTopLevel(code.slice(open + 1, close))) {
      const found = TRANSACTION_PARAMETER.exec(parameter)?.slice(1).find(Boolean)
      if (found === undefined) continue
      const name = found.startsWith('{') ? 'tx' : found
      const isFunction = parameter.includes(':') || isArrowAt(code, open)
      const body = bodyAfter(code, open, close, isFunction)
      if (body !== undefined) scopes.push({ start: body[0], end: body[1], name })
    }
  }
  for (const match of code.matchAll(/(?<![\w$.])tx\s*=>/g)) {
    const [start, end] = arrowBody(code, match.index + match[0].length)
    scopes.push({ start, end, name: 'tx' })
  }
  return scopes
}

/** The body of the function whose parameters stand in these brackets; undefined where they are something else. */
function bodyAfter(code: string, open: number, close: number, isFunction: boolean): [number, number] | undefined {
  let at = skipSpace(code, close + 1)
  if (code[at] === ':' && isFunction) at = endOfReturnType(code, at + 1)
  if (code.startsWith('=>', at)) return arrowBody(code, at + 2)
  const isBody = code[at] === '{' && (isFunction || isMethodAt(code, open))
  return isBody ? [at, closingOf(code, at)] : undefined
}

/** A name, a parenthesis and a brace are a method, but for the statements that look like it. */
function isMethodAt(code: string, open: number): boolean {
  const name = /([\w$]+)\s*$/.exec(code.slice(Math.max(0, open - 100), open))?.[1]
  return name !== undefined && !/^(?:if|for|while|switch|catch|with|await)$/.test(name)
}

function arrowBody(code: string, from: number): [number, number] {
  const at = skipSpace(code, from)
  return [at - 1, code[at] === '{' ? closingOf(code, at) : endOfExpression(code, at)]
}

/** A parenthesis that follows no name is not a call's: what it holds may be an arrow's parameters. */
function isArrowAt(code: string, open: number): boolean {
  const before = code.slice(0, open).trimEnd()
  return /(?<![\w$])async$/.test(before) || /[=(,:?{[&|>;]$/.test(before)
}

/**
 * Where a return type ends: at the arrow, at the brace of the body, or, of a mere signature, with its line. A brace
 * after `:`, `|` or `&` is still type.
 */
function endOfReturnType(code: string, from: number): number {
  let last = ':'
  for (let at = from; at < code.length; at++) {
    const character = code[at] as string
    if (code.startsWith('=>', at) || ';,)}'.includes(character)) return at
    if (character === '{' && !':|&'.includes(last)) return at
    if (character === '\n' && !':|&'.includes(last) && !/^\s*[|&]/.test(code.slice(at))) return at
    if (character === '<') at = closingAngle(code, at)
    else if ('{[('.includes(character)) at = closingOf(code, at)
    if (!/\s/.test(character)) last = code[at] ?? ''
  }
  return code.length
}

function closingAngle(code: string, open: number): number {
  let depth = 0
  for (let i = open; i < code.length; i++) {
    if (code[i] === '<') depth++
    else if (code[i] === '>' && code[i - 1] !== '=' && --depth === 0) return i
  }
  return code.length
}

/** An expression ends at a bracket or comma outside it, or with its line unless the next one goes on. */
function endOfExpression(code: string, from: number): number {
  let at = skipSpace(code, from)
  while (at < code.length) {
    const character = code[at] as string
    if (')]},;'.includes(character)) return at
    if (character === '\n' && !/^\s*(?:[.?:]|&&|\|\||[+*/-])/.test(code.slice(at))) return at
    at = '([{'.includes(character) ? closingOf(code, at) + 1 : at + 1
  }
  return code.length
}

function splitTopLevel(list: string): string[] {
  const parts: string[] = []
  let start = 0
  for (let i = 0; i < list.length; i++) {
    const character = list[i] as string
    if ('([{'.includes(character)) i = closingOf(list, i)
    else if (character === ',') {
      parts.push(list.slice(start, i))
      start = i + 1
    }
  }
  return [...parts, list.slice(start)]
}

function skipSpace(code: string, from: number): number {
  let at = from
  while (at < code.length && /\s/.test(code[at] as string)) at++
  return at
}
