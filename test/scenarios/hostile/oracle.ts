import { findTextBreaches } from '../../helpers/attacks.ts'

/** A text of somebody else in the store, and who wrote it. */
export interface Planted {
  readonly marker: string
  /** Which field of which operation took it, such as `gates.create reason`. */
  readonly field: string
  readonly author: Author
  /** A name of one line, which may stand among our own words where other texts may not. */
  readonly isName?: boolean
}

/** How a line that names an author must name them. */
export interface Author {
  readonly id: string
  /** Absent where the line need not say whether the name is proven. */
  readonly isVerified?: boolean
}

/** What nobody has signed: a file of a repository. */
export const A_FILE: Author = { id: 'files in this repository, unverified' }

/**
 * What somebody gets to see.
 *
 *   fence     for a model: words of others only on quoted lines, inside a fence, below a line that names their author
 *   terminal  for a person: words of others only on quoted lines, or in a row that begins with something of ours
 *   lines     one line for each message, in which words of others stand between quotes
 *   refusal   one line of ours, or a problem, that repeats the words of nobody but the caller
 *   values    for a program whose values a model may read: no value poses as a host or hides anything
 *   escaped   JSON for a program: nothing in it that a terminal obeys
 */
export interface Output {
  readonly name: string
  readonly form: 'fence' | 'terminal' | 'lines' | 'refusal' | 'values' | 'escaped'
  readonly text: string
  /** Of a refusal: what was refused. */
  readonly refused?: string
}

export interface Finding {
  readonly output: string
  readonly field: string
  readonly what: string
  readonly line: string
}

export interface Verdict {
  readonly findings: readonly Finding[]
  /** Pairs of a planted text and an output that shows it. */
  readonly cases: number
  /** Fields of which a text was seen. */
  readonly fields: ReadonlySet<string>
}

/** Judges outputs. It knows the texts, and what the store itself has made up, such as ids; it shares no code with `src`. */
export function createOracle(planted: readonly Planted[], ours: readonly string[]) {
  const byMarker = new Map(planted.map((text) => [text.marker, text]))
  const begins = new Set(ours)

  return function judge(outputs: readonly Output[]): Verdict {
    const findings: Finding[] = []
    const fields = new Set<string>()
    let cases = 0
    for (const output of outputs) {
      const seen = new Set<Planted>()
      for (const [marker] of output.text.matchAll(MARKER)) {
        const text = byMarker.get(marker)
        if (text) seen.add(text)
      }
      cases += seen.size
      for (const { field } of seen) fields.add(field)
      const about = [...new Set([...seen].map(({ field }) => field))].join(', ')
      for (const what of findBroken(output)) findings.push({ output: output.name, field: about, what, line: '' })
      if (output.form === 'fence') findings.push(...judgeFence(output))
      if (output.form === 'terminal') findings.push(...judgeTerminal(output))
      if (output.form === 'lines') findings.push(...judgeLines(output))
      if (output.form === 'refusal') findings.push(...judgeRefusal(output))
    }
    return { findings, cases, fields }
  }

  function plantedIn(line: string): readonly Planted[] {
    return [...line.matchAll(MARKER)].flatMap(([marker]) => byMarker.get(marker) ?? [])
  }

  function judgeFence({ name, text }: Output): readonly Finding[] {
    const findings: Finding[] = []
    let nonce: string | undefined
    let opening = ''
    let head = ''
    for (const line of text.split('\n')) {
      const fence = FENCE.exec(line)
      if (fence?.[1] === '┌' && nonce === undefined) {
        ;[nonce, opening] = [fence[2], line]
        head = line
      } else if (fence?.[1] === '└' && fence[2] === nonce) {
        nonce = undefined
      } else if (line.startsWith('├') && AUTHORED.test(line)) head = line
      else if (line.startsWith('├─')) head = opening
      for (const each of plantedIn(line)) {
        const what = judgeLine(line, each, { isInside: nonce !== undefined, head })
        if (what !== undefined) findings.push({ output: name, field: each.field, what, line: line.slice(0, 160) })
      }
    }
    if (nonce !== undefined) findings.push({ output: name, field: '', what: 'the fence stays open', line: opening })
    return findings
  }

  function judgeLine(line: string, planted: Planted, place: Place): string | undefined {
    if (planted.isName && !line.startsWith(planted.marker)) return undefined
    if (!place.isInside) return 'it stands outside a fence'
    if (!line.startsWith('│')) return 'its line is not quoted'
    return names(place.head, planted.author)
      ? undefined
      : `it stands under "${place.head}" and not under ${planted.author.id}`
  }

  /** A row of a table has an id in its first columns. */
  function beginsAsOurs(line: string): boolean {
    return line
      .trimStart()
      .split(/ +/, ID_COLUMNS)
      .some((word) => begins.has(word))
  }

  function judgeTerminal({ name, text }: Output): readonly Finding[] {
    return text.split('\n').flatMap((line) => {
      const isOurs = [QUOTED, TIMED, GRAPHED].some((form) => form.test(line)) || beginsAsOurs(line)
      const found = plantedIn(line).filter(({ isName, marker }) => !isOurs && !(isName && !line.startsWith(marker)))
      return found.map(({ field }) => ({
        output: name,
        field,
        what: 'its line is not quoted',
        line: line.slice(0, 160),
      }))
    })
  }

  function judgeLines({ name, text }: Output): readonly Finding[] {
    return text.split('\n').flatMap((line) => {
      // What a plan says is the agent's own, up to the end of its line.
      const rest = line.startsWith('[Plan: ') ? '' : line.replaceAll(IN_QUOTES, '')
      const found = plantedIn(line.startsWith('[') ? rest : line).filter(({ isName }) => !isName)
      return found.map(({ field }) => ({
        output: name,
        field,
        what: 'it stands outside quotes',
        line: line.slice(0, 160),
      }))
    })
  }

  function judgeRefusal({ name, text, refused = '' }: Output): readonly Finding[] {
    const isOne = !text.includes('\n')
    const found = plantedIn(text).filter(({ field }) => !isOne || !field.startsWith(`${refused} `))
    const what = isOne ? 'it is repeated to another caller' : 'the refusal has a second line'
    return found.map(({ field }) => ({ output: name, field, what, line: text.slice(0, 160) }))
  }
}

interface Place {
  readonly isInside: boolean
  /** The nearest line of ours above it that names an author. */
  readonly head: string
}

const IN_QUOTES = /"(?:[^"\\]|\\.)*"/g
const MARKER = /zq[bcdfghjklmnpqrtv]+qz/g
const FENCE = /^([┌└])── .*fence ([a-z0-9]{8,32})$/
const AUTHORED = / \((?:[^()]*, )?(?:un)?verified[,)]/
/** On a terminal a quotation may be a part of a table. */
const QUOTED = /^ {0,4}│/
const ID_COLUMNS = 3
/** A label of a graph, which is a text in quotes. */
const GRAPHED = /^ {2}n\d+ ?\[/
const TIMED = /^ {0,4}(?:\d{4}-\d\d-\d\dT|\d\d:\d\d:\d\d {2})/

function names(head: string, { id, isVerified }: Author): boolean {
  if (isVerified === undefined) return head.includes(id)
  const trust = isVerified ? '(?<!un)verified' : 'unverified'
  return new RegExp(`(?<![\\w:-])${id.replaceAll('.', '\\.')} \\([^()]*${trust}`).test(head)
}

/** What is wrong with a text whoever wrote it: control characters, tags of hosts, and JSON that is none. */
function findBroken({ form, text }: Output): readonly string[] {
  if (form === 'fence' || form === 'terminal' || form === 'lines') return findTextBreaches(text)
  if (form === 'refusal' && !text.startsWith('{')) return findTextBreaches(text)
  const escaped = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Bidi_Control}]--[\n]]/v.test(text) ? ['a raw control character'] : []
  return form === 'values' ? [...escaped, ...stringsIn(JSON.parse(text)).flatMap(findTextBreaches)] : escaped
}

/** Every text in a value, names of members included. */
export function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => [...(Array.isArray(value) ? [] : [name]), ...stringsIn(each)])
}
