import { isNull } from '../../kit/pure/yaml-text.ts'

export type Fields = Map<string, string | null>

const LINE = /^([A-Za-z_][A-Za-z0-9_-]*):(?: +(.*))?$/
const IGNORED = /^(?: *$|#)/
/** What YAML cannot take for anything but one plain scalar. */
const PLAIN = /^[A-Za-z0-9_./+(~$^;=](?:[^\x00-\x1f:#\x7f-\x9f\u2028\u2029\ufeff]|:(?=[^ ])|(?<! )#)*$/
/** Each run of blanks is looked at once, however long it is. */
const LAST_BLANKS = /(?<! ) +$/
const SINGLE_QUOTED = /^'((?:[^'\x00-\x1f]|'')*)'$/

/**
 * Reads the YAML that people and scripts usually write above an item: `key: value`, plain or quoted, each on one line.
 * Undefined for everything else, right or wrong, which is left to a parser: nothing is guessed here.
 */
export function readUsualFields(text: string): Fields | undefined {
  const fields: Fields = new Map()
  for (const line of text.split(/\r?\n/)) {
    if (IGNORED.test(line)) continue
    const [, key, rest = ''] = LINE.exec(line) ?? []
    const value = readScalar(rest.replace(LAST_BLANKS, ''))
    if (key === undefined || value === undefined || fields.has(key)) return undefined
    fields.set(key, value)
  }
  return fields.size === 0 ? undefined : fields
}

function readScalar(text: string): string | null | undefined {
  if (isNull(text)) return null
  if (text.startsWith('"')) return readDoubleQuoted(text)
  if (text.startsWith("'")) return SINGLE_QUOTED.exec(text)?.[1]?.replaceAll("''", "'")
  return PLAIN.test(text) ? text : undefined
}

function readDoubleQuoted(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? value : undefined
  } catch {
    // It may still be YAML.
    return undefined
  }
}
