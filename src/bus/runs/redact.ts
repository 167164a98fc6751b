import { isSecretName } from './secret-names.ts'

const HIDDEN = '***'
/** Of the line as it stands in quotes: a header has only so much room. */
const MAX_BYTES = 4_096

/**
 * A command line as it may be kept: secrets that can be told by their name, their place or their shape are left out. It is
 * quoted for a shell, so that words stay words. What looks like nothing in particular stays as it is.
 */
export function formatCommandLine(words: readonly string[]): string {
  return cut(words.map((word, at) => quote(redactWord(word, words[at - 1]))).join(' '))
}

function redactWord(word: string, before: string | undefined): string {
  if (before !== undefined && isSecretOption(before) && !word.startsWith('--')) return HIDDEN
  if (before !== undefined && USER_OPTION.test(before)) return word.replace(/^([^:\s]+):.+$/s, `$1:${HIDDEN}`)
  if (/^-[uU][^-:\s][^:\s]*:/.test(word)) return word.replace(/:.+$/s, `:${HIDDEN}`)
  // A script may begin with an assignment, and has more to tell.
  if (before === '-c') return redactText(word)
  const [, name = '', sign] = /^(-*[A-Za-z_][\w.-]*)(=)/.exec(word) ?? []
  return isSecretName(name) ? `${name}${sign}${HIDDEN}` : redactText(word)
}

function isSecretOption(word: string): boolean {
  return /^--?[A-Za-z][\w-]*$/.test(word) && isSecretName(word)
}

const USER_OPTION = /^(?:-u|-U|--user|--proxy-user)$/

/** Every pattern begins where a word does, so that none takes more than one look at a long text without any. */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
  /(?<![\w-])eyJ[\w-]{4,}\.[\w-]{4,}(?:\.[\w-]*)*/g,
  /(?<![\w-])(?:sk|rk|pk)[-_][\w-]{16,}/g,
  /(?<![\w-])(?:gh[oprsu]|github_pat|npm|hf|pst|whsec|dop_v1|shpat|lin_api|figd)_[\w-]{16,}/g,
  /(?<![\w-])(?:glpat|xapp|xox[a-z]|pypi|sntrys)-[\w-]{10,}/g,
  /(?<![\w-])(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Z])/g,
  /(?<![\w-])AIza[\w-]{30,}/g,
  /(?<![\w-])ya29\.[\w-]{10,}/g,
  /(?<![\w-])SG\.[\w-]{16,}\.[\w-]{16,}/g,
  /(?<![\w-])\d{8,12}:AA[\w-]{30,}/g,
]

/** `name=value`, `name: value`, `"name": "value"` and `--name value` within a text, such as that of a script. */
const NAME = /(?<![\w.-])(-*[A-Za-z_][\w.-]*)\\?["']?\s*[:=]\s*/g
const OPTION = /(?<![\w-])(--?[A-Za-z][\w-]*)\s+(?!--)/g
const VALUE = /(?:\\"[^"]*"|"(?:[^"\\]|\\.)*"|"[^"]*"|\\?'[^']*'|[^\s"'&;,|)}\]]+)+/sy
/** Their value has spaces in it, and ends with the quote or the line. */
const HEADER = /(?<![\w-])((?:proxy-)?authorization|(?:set-)?cookie)(\s*:\s*)[^"'\r\n]+/gi
const BEARER = /(?<![\w-])(bearer)(\s+)[\w.~+/=-]{8,}/gi
const BASIC = /(?<![\w-])(basic)(\s+)[A-Za-z0-9+/]{12,}={0,2}(?![A-Za-z0-9+/=])/gi
const USER = /(?<![\w-])((?:-u|--user|--proxy-user)[ =]+)(?:(["'])([^\s:"']+):[^"']+|([^\s:"']+):[^\s"']+)/g
/** A password may hold the sign that ends it. */
const URL_PASSWORD = /(?<=:\/\/[^\s/:@"']{0,200}):[^\s/"']*@/g

function redactText(text: string): string {
  const rest = SHAPES.reduce((left, shape) => left.replace(shape, HIDDEN), text)
    .replace(URL_PASSWORD, `:${HIDDEN}@`)
    .replace(HEADER, `$1$2${HIDDEN}`)
    .replace(BEARER, `$1$2${HIDDEN}`)
    .replace(BASIC, `$1$2${HIDDEN}`)
    .replace(USER, `$1$2$3$4:${HIDDEN}`)
  return hideNamed(hideNamed(rest, NAME), OPTION)
}

/** What stands after a harmless name is looked at too: it may hold the name of a secret. */
function hideNamed(text: string, names: RegExp): string {
  let kept = ''
  let at = 0
  for (const { 0: whole, 1: name = '', index } of text.matchAll(names)) {
    if (index < at || !isSecretName(name)) continue
    VALUE.lastIndex = index + whole.length
    const value = VALUE.exec(text)?.[0]
    if (value === undefined) continue
    kept += `${text.slice(at, index + whole.length)}${HIDDEN}`
    at = index + whole.length + value.length
  }
  return kept + text.slice(at)
}

function quote(word: string): string {
  return /^[\w@%+=:,./*-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

function cut(line: string): string {
  let bytes = 0
  let length = 0
  for (const character of line) {
    bytes += Buffer.byteLength(JSON.stringify(character)) - 2
    if (bytes > MAX_BYTES) return `${line.slice(0, length)}…`
    length += character.length
  }
  return line
}
