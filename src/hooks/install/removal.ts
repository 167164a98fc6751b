import {
  commentEnd,
  type JsonArray,
  type JsonElement,
  type JsonNode,
  type JsonObject,
  JsonProblem,
  parseJsonc,
} from './jsonc.ts'
import {
  type End,
  findMember,
  handlersOf,
  type Memory,
  readOwn,
  type Understood,
  understand,
  type Wanted,
} from './settings.ts'
import { undoInsertions } from './splice.ts'

/** Whose entries go; without an agent, those of every agent. */
export interface Unwanted extends Pick<Wanted, 'target' | 'home'> {
  readonly agent: string | undefined
}

/**
 * Takes out what was put in, byte for byte, where it still stands in its place. Elsewhere, or where nothing is
 * remembered, our entries are looked for one by one.
 */
export function takeOut(text: string, path: string, unwanted: Unwanted, memory: Memory | undefined): string {
  const searched = removeHooks(text, path, unwanted, memory)
  const undone = memory && undoInsertions(text, memory.insertions)
  return undone !== undefined && isSame(undone, searched) ? undone : searched
}

/** Two texts that say the same. */
function isSame(a: string, b: string): boolean {
  try {
    return JSON.stringify(toValue(parseJsonc(a))) === JSON.stringify(toValue(parseJsonc(b)))
  } catch (error) {
    if (error instanceof JsonProblem) return false
    throw error
  }
}

function toValue(node: JsonNode | undefined): unknown {
  if (node === undefined) return undefined
  if (node.kind === 'scalar') return node.value
  if (node.kind === 'array') return node.elements.map(({ value }) => toValue(value))
  return node.elements.map(({ key, value }) => [key, toValue(value)])
}

/**
 * Takes our entries out of a file that was edited since, or of which nothing is remembered. Everything else stays: of
 * the lists and objects that are empty then, only those go that we made, or might have made.
 */
function removeHooks(text: string, path: string, unwanted: Unwanted, known: Memory | undefined): string {
  const memory = known && { ...known, ends: stillTrue(text, known) }
  let rest = text
  for (let found = findOwn(rest, path, unwanted); found; found = findOwn(rest, path, unwanted)) {
    rest = removeUpwards(rest, found, memory)
  }
  return rest === text ? text : removeRoot(removePreamble(rest, path, unwanted, memory), path, memory)
}

/** How we closed a container counts only as long as nobody has laid the file out anew. */
function stillTrue(text: string, { insertions, ends }: Memory): Memory['ends'] {
  const close = (end: End) => (text.includes(insertions[end.insertion]?.text ?? '') ? end.closing : '')
  return Object.fromEntries(Object.entries(ends).map(([where, end]) => [where, { ...end, closing: close(end) }]))
}

/** An element, what it stands in, and what that stands in, from the inside to the outside. */
type Trail = readonly Step[]

interface Step {
  readonly container: JsonObject | JsonArray
  readonly index: number
  /** Where the container is, as memories name it; undefined for what is never remembered. */
  readonly where: string | undefined
}

/** Our last entry, so that what stands before it keeps its place. */
function findOwn(text: string, path: string, unwanted: Unwanted): Trail | undefined {
  const { root } = understand(text, path)
  return root && trails(root, unwanted).at(-1)
}

function trails(root: JsonObject, unwanted: Unwanted): readonly Trail[] {
  return root.elements.flatMap((member, at) => {
    const hooks = member.value
    if (member.key !== 'hooks' || hooks.kind !== 'object') return []
    return hooks.elements.flatMap(({ key, value: list }, event) => {
      if (list.kind !== 'array') return []
      const outer: Trail = [
        { container: hooks, index: event, where: '/hooks' },
        { container: root, index: at, where: '/' },
      ]
      return list.elements.flatMap(({ value }, index) => {
        const own: Step = { container: list, index, where: `/hooks/${key}` }
        return inEntry(value, unwanted).map((inner): Trail => [...inner, own, ...outer])
      })
    })
  })
}

/** Trails within an entry: empty where the entry as a whole is ours. */
function inEntry(entry: JsonNode, unwanted: Unwanted): readonly Trail[] {
  if (!unwanted.target.isGrouped) return isOwn(entry, unwanted) ? [[]] : []
  const handlers = handlersOf(entry)
  const own = handlers.flatMap((handler, index) => (isOwn(handler, unwanted) ? [index] : []))
  if (own.length > 0 && own.length === handlers.length) return [[]]
  const list = entry.kind === 'object' ? findMember(entry, 'hooks')?.value : undefined
  if (list?.kind !== 'array') return []
  return own.map((index) => [{ container: list, index, where: undefined }])
}

function isOwn(handler: JsonNode, unwanted: Unwanted): boolean {
  const own = readOwn(handler, unwanted)
  return own !== undefined && (unwanted.agent === undefined || own.agent === unwanted.agent)
}

/** Removes an element, or the outermost thing that holds nothing else and was made for it. */
function removeUpwards(text: string, trail: Trail, memory: Memory | undefined): string {
  let depth = 0
  while (depth < trail.length - 1) {
    const { container, where } = trail[depth] as Step
    if (where === undefined || container.elements.length > 1 || !isMade(where, memory)) break
    depth++
  }
  const step = trail[depth] as Step
  return removeElement(text, step, step.where === undefined ? undefined : memory?.ends[step.where])
}

/** What is within something that was made was made too. */
function isMade(where: string, memory: Memory | undefined): boolean {
  return memory === undefined || memory.made.some((made) => made === '/' || `${where}/`.startsWith(`${made}/`))
}

function removePreamble(text: string, path: string, { target }: Unwanted, memory: Memory | undefined): string {
  let rest = text
  for (const key of Object.keys(target.preamble)) {
    const { root, hooks }: Understood = understand(rest, path)
    const index = root?.elements.findLastIndex((member) => member.key === key) ?? -1
    if (!root || index < 0 || !memory || !isMade(`/${key}`, memory)) continue
    // Others have hooks now in what we made, and those need it too.
    if (hooks && isMade('/hooks', memory)) continue
    rest = removeElement(rest, { container: root, index, where: '/' }, memory?.ends['/'])
  }
  return rest
}

/** Removes an element with the blanks before it and one comma. */
function removeElement(text: string, { container, index }: Step, end: End | undefined): string {
  const element = container.elements[index] as JsonElement
  const previous = container.elements[index - 1]
  const isLast = index === container.elements.length - 1
  const behind = element.comma === null ? element.end : element.comma + 1
  const closing = isLast && end && text.startsWith(end.closing, behind) ? end.closing : ''
  const tail = behind + closing.length
  const start = blanksBefore(text, previous?.comma ?? container.start, element.start, tail)
  // The comma before it goes only where no other is left to go, and where it was not there before.
  const isCommaLeft = isLast && element.comma === null && !end?.keepsComma
  const comma = isCommaLeft ? (previous?.comma ?? null) : null
  const head = comma === null ? text.slice(0, start) : text.slice(0, comma) + text.slice(comma + 1, start)
  return head + text.slice(tail)
}

/** Where the line before an element ends. A comment that only the line's end closes keeps that, if it is needed. */
function blanksBefore(text: string, from: number, elementStart: number, tail: number): number {
  const start = elementStart - (/(?:\r?\n)?[ \t]*$/.exec(text.slice(from + 1, elementStart))?.[0].length ?? 0)
  const isLineOver = /^[ \t]*(?:[\r\n]|$)/.test(text.slice(tail))
  return isLineOver || !endsInLineComment(text, from + 1, start) ? start : elementStart
}

function endsInLineComment(text: string, from: number, to: number): boolean {
  let isLine = false
  for (let at = from; at < to; ) {
    const end = commentEnd(text, at)
    if (end !== undefined) isLine = text.startsWith('//', at)
    at = end ?? at + 1
  }
  return isLine
}

/** Nothing is left but what stood there before the file had a value at all. */
function removeRoot(text: string, path: string, memory: Memory | undefined): string {
  const { root } = understand(text, path)
  const isOurs = memory?.made.includes('/') && root?.elements.length === 0
  if (!root || !isOurs || !/^[{}\s]*$/.test(text.slice(root.start))) return text
  const lead = /^[\r\n]*/.exec(memory?.insertions[0]?.text ?? '')?.[0] ?? ''
  const head = text.slice(0, root.start)
  return head.endsWith(lead) ? head.slice(0, head.length - lead.length) : head
}
