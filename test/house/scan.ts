/**
 * Tells code from comments and strings, without a compiler. `code` has the length of the text: comments and the
 * contents of strings, templates and regular expressions are blanked, so positions in both are the same.
 */
export interface Scan {
  readonly code: string
  readonly strings: readonly StringLiteral[]
}

export interface StringLiteral {
  /** Where its opening quote stands. */
  readonly start: number
  /** What is between the quotes; of a template, the part before its first substitution. */
  readonly text: string
}

export function scan(text: string): Scan {
  const blanked = text.split('')
  const strings: StringLiteral[] = []
  // For each template that is open, how many braces are open within its present substitution.
  const templates: number[] = []
  let at = 0

  const blank = (from: number, to: number) => {
    for (let i = from; i < Math.min(to, text.length); i++) if (text[i] !== '\n') blanked[i] = ' '
  }
  const takeTemplate = (from: number) => {
    const end = endOfTemplateChunk(text, from)
    blank(from, end)
    at = end + (text[end] === '`' ? 1 : 2)
    if (text[end] === '$') templates.push(0)
    return end
  }

  while (at < text.length) {
    const character = text[at] as string
    if (text.startsWith('//', at)) {
      const end = indexOr(text, '\n', at)
      blank(at, end)
      at = end
    } else if (text.startsWith('/*', at)) {
      const end = indexOr(text, '*/', at + 2) + 2
      blank(at, end)
      at = end
    } else if (character === "'" || character === '"') {
      const end = endOfQuoted(text, at + 1, character)
      strings.push({ start: at, text: text.slice(at + 1, end) })
      blank(at + 1, end)
      at = end + 1
    } else if (character === '`') {
      const start = at
      const end = takeTemplate(at + 1)
      strings.push({ start, text: text.slice(start + 1, end) })
    } else if (character === '}' && templates.at(-1) === 0) {
      templates.pop()
      takeTemplate(at + 1)
    } else if (character === '/' && beginsRegExp(blanked, at)) {
      const end = endOfRegExp(text, at + 1)
      blank(at + 1, end)
      at = end + 1
    } else {
      const open = templates.length - 1
      if (open >= 0 && character === '{') templates[open] = (templates[open] as number) + 1
      if (open >= 0 && character === '}') templates[open] = (templates[open] as number) - 1
      at++
    }
  }
  return { code: blanked.join(''), strings }
}

/** The position of the bracket that closes the one at `open`, in blanked code. */
export function closingOf(code: string, open: number): number {
  let depth = 0
  for (let i = open; i < code.length; i++) {
    const character = code[i] as string
    if ('([{'.includes(character)) depth++
    else if (')]}'.includes(character) && --depth === 0) return i
  }
  return code.length
}

export function lineOf(text: string, position: number): number {
  let line = 1
  for (let i = text.indexOf('\n'); i >= 0 && i < position; i = text.indexOf('\n', i + 1)) line++
  return line
}

function indexOr(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from)
  return found < 0 ? text.length : found
}

function endOfQuoted(text: string, from: number, quote: string): number {
  let i = from
  while (i < text.length && text[i] !== quote && text[i] !== '\n') i += text[i] === '\\' ? 2 : 1
  return i
}

/** The closing backtick, or the `$` of the next substitution. */
function endOfTemplateChunk(text: string, from: number): number {
  let i = from
  while (i < text.length && text[i] !== '`' && !text.startsWith('${', i)) i += text[i] === '\\' ? 2 : 1
  return Math.min(i, text.length)
}

function endOfRegExp(text: string, from: number): number {
  let inClass = false
  let i = from
  while (i < text.length && text[i] !== '\n' && (inClass || text[i] !== '/')) {
    if (text[i] === '[') inClass = true
    if (text[i] === ']') inClass = false
    i += text[i] === '\\' ? 2 : 1
  }
  return i
}

/** A slash divides after a value and begins an expression elsewhere. */
function beginsRegExp(before: readonly string[], at: number): boolean {
  let i = at - 1
  while (i >= 0 && /\s/.test(before[i] as string)) i--
  if (i < 0) return true
  const last = before[i] as string
  if (/[)\]}'"`]/.test(last)) return false
  if (!/[\w$]/.test(last)) return true
  let word = ''
  while (i >= 0 && /[\w$]/.test(before[i] as string)) word = before[i--] + word
  return /^(return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield)$/.test(word)
}
