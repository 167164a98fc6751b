import { resolve } from 'node:path'
import type { PostEntry } from '../../../model/bus/bus.ts'
import type { BusLink, BusMeta, BusParent } from '../../../model/bus/entry.ts'
import type { Json } from '../../../model/json.ts'
import type { Args, Form } from '../../shell/command.ts'
import { usage } from '../../shell/parse.ts'

/** A file to attach, and what is said of it. */
export interface NamedFile {
  readonly file: string
  readonly kind?: string
  readonly label?: string
  readonly mime?: string
}

/** The header of a new entry as the options tell it. */
export function readHeader(form: Form, args: Args): Omit<PostEntry, 'project_id' | 'task_id'> {
  const [type, issue_id, select] = [args.get('type'), args.get('issue'), args.get('select')]
  const parents = args.all('parent').map(parseParent)
  const links = args.all('link').map(parseLink)
  const [to, ask] = [namesIn(args, 'to'), namesIn(args, 'ask')]
  const options = args.all('option').map((text) => {
    const [key, label] = pairIn(form, 'option', text)
    return { key, label }
  })
  return {
    ...(type !== undefined && { type }),
    ...(issue_id !== undefined && { issue_id }),
    ...(parents.length > 0 && { parents }),
    ...(links.length > 0 && { links }),
    ...(args.has('meta') && { meta: readMeta(form, args) }),
    ...(to.length > 0 && { to }),
    // Where options are given and nobody is named, the owners are asked.
    ...((ask.length > 0 || options.length > 0) && { ask }),
    ...(options.length > 0 && { options }),
    ...(select !== undefined && { select }),
  }
}

/** `MSG-…:depends_on`: what follows the last colon is the kind, where it can be one. */
export function parseParent(text: string): BusParent | string {
  const match = /^(.+):([A-Za-z][A-Za-z_-]*)$/s.exec(text)
  return match?.[1] === undefined || match[2] === undefined ? text : { msg_id: match[1], kind: match[2] }
}

/** `output=/path/to/file`, `https://…`, `report=https://…`. Links name places, so a path is a whole one. */
export function parseLink(text: string): BusLink {
  const match = /^([A-Za-z][\w-]*)=(.+)$/s.exec(text)
  const [kind, target] = match ? [match[1], match[2] ?? ''] : [undefined, text]
  const place = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(target) ? { url: target } : { path: resolve(target) }
  return { ...(kind !== undefined && { kind }), ...place }
}

/** `file[,kind=…][,label=…][,mime=…]`; other commas belong to the name of the file. */
export function parseAttach(text: string): NamedFile {
  const at = text.search(/(?:,(?:kind|label|mime)=[^,]*)+$/)
  const parts = at < 0 ? [] : text.slice(at + 1).split(',')
  const about = Object.fromEntries(
    parts.map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]),
  )
  return { file: at < 0 ? text : text.slice(0, at), ...about }
}

/** A value that is JSON is that value, everything else is text. */
function readMeta(form: Form, args: Args): BusMeta {
  return Object.fromEntries(
    args.all('meta').map((text) => {
      const [key, value] = pairIn(form, 'meta', text)
      return [key, parseValue(value)]
    }),
  )
}

function parseValue(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function namesIn(args: Args, name: string): readonly string[] {
  return args.all(name).flatMap((names) => names.split(','))
}

function pairIn(form: Form, name: string, text: string): readonly [string, string] {
  const at = text.indexOf('=')
  if (at <= 0) throw usage(form, `--${name} takes <key>=<value>`)
  return [text.slice(0, at), text.slice(at + 1)]
}
