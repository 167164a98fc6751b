type Value = string | Fields | Value[]
export interface Fields {
  [key: string]: Value
}

export interface PlainEntry {
  readonly header: string
  readonly body: string
}

/** The least that reads a bus whose bodies have no line of dashes: neither lengths nor checksums are looked at. */
export function splitEntries(text: string): PlainEntry[] {
  const entries: PlainEntry[] = []
  for (let at = text.startsWith('---\n') ? 0 : -1; at >= 0; ) {
    const headerEnd = text.indexOf('\n---\n', at)
    if (headerEnd < 0) break
    const next = text.indexOf('\n---\n', headerEnd + 5)
    const bodyEnd = next < 0 ? text.length - 1 : next
    entries.push({ header: text.slice(at + 4, headerEnd), body: text.slice(headerEnd + 5, bodyEnd) })
    at = next < 0 ? -1 : next + 1
  }
  return entries
}

/** The fields of a header: `key: value` on each line, and below a key alone what belongs to it, as a map or a list. */
export function parseHeaderByHand(header: string): Fields {
  const fields: Fields = {}
  let key = ''
  for (const line of header.split('\n')) {
    if (line.charCodeAt(0) === 0x20) fields[key] = withInner(fields[key] ?? '', line.trim())
    else {
      const colon = line.indexOf(':')
      key = line.slice(0, colon)
      fields[key] = unquoted(line.slice(colon + 2))
    }
  }
  return fields
}

function withInner(outer: Value, line: string): Value {
  if (line.startsWith('- ')) {
    const list = Array.isArray(outer) ? outer : []
    const item = line.slice(2)
    list.push(item.includes(': ') ? put({}, item) : unquoted(item))
    return list
  }
  if (!Array.isArray(outer)) return put(typeof outer === 'string' ? {} : outer, line)
  const last = outer.at(-1)
  if (typeof last === 'object' && !Array.isArray(last)) put(last, line)
  return outer
}

function put(fields: Fields, line: string): Fields {
  const colon = line.indexOf(': ')
  fields[line.slice(0, colon)] = unquoted(line.slice(colon + 2))
  return fields
}

function unquoted(text: string): string {
  return text.startsWith('"') ? (JSON.parse(text) as string) : text
}
