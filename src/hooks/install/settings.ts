import { PosternError } from '../../model/errors.ts'
import { formatCommand, parseCommand } from './command-line.ts'
import { type JsonArray, type JsonMember, type JsonNode, type JsonObject, JsonProblem, parseJsonc } from './jsonc.ts'
import { formatAuthorization, formatPostUrl, parsePosting } from './posting.ts'
import { type Appended, append, applyInsertions, formatValue, type Insertion, layoutOf } from './splice.ts'
import { type HandlerForm, type Target, TIMEOUT_S } from './targets.ts'

/** Whose hooks stand, or shall stand, in a host's settings. */
export interface Wanted {
  readonly target: Target
  /** As a shell reads it. */
  readonly launcher: string
  readonly agent: string
  /** Where our things are. */
  readonly home: string
  /** The server that takes those events which may be posted; without it all of them run the command. */
  readonly server?: PostServer
}

export interface PostServer {
  readonly url: string
  readonly token: string
  /** By which the token is revoked; null where nobody knows. */
  readonly tokenId: string | null
}

/** What was put into a text, so that it can be taken out again. */
export interface Memory {
  readonly insertions: readonly Insertion[]
  /** What was not there before: `/` for everything, `/hooks`, `/hooks/Stop`, `/version`. */
  readonly made: readonly string[]
  /** For each container that was there: how the end of it was changed. */
  readonly ends: Readonly<Record<string, End>>
}

export interface End extends Pick<Appended, 'keepsComma' | 'closing'> {
  /** Which of the insertions holds what was added. */
  readonly insertion: number
}

/** A file of settings, as far as hooks go. */
export interface Understood {
  readonly root: JsonObject | undefined
  /** Under `hooks`, each event's entries. Of two with one name the last counts. */
  readonly hooks: JsonObject | undefined
}

const HOOKS = 'hooks'
const AUTHORIZATION = 'Authorization'
const isShort = (value: object) => ['command', 'url', AUTHORIZATION].some((key) => key in value)

/** Refuses what cannot be understood, before anything is written. */
export function understand(text: string, path: string): Understood {
  const refuse = (reason: string) => new PosternError('SETTINGS_REFUSED', { path, reason })
  let root: JsonNode | undefined
  try {
    root = parseJsonc(text)
  } catch (error) {
    if (error instanceof JsonProblem) throw refuse(`${error.message} (${place(text, error.at)})`)
    throw error
  }
  if (root === undefined) return { root, hooks: undefined }
  if (root.kind !== 'object') throw refuse('it is not a JSON object')
  const hooks = findMember(root, HOOKS)?.value
  if (hooks === undefined) return { root, hooks }
  if (hooks.kind !== 'object') throw refuse(`"${HOOKS}" is not an object (${place(text, hooks.start)})`)
  return { root, hooks }
}

function place(text: string, at: number): string {
  const lines = text.slice(0, at).split(/\r?\n/)
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`
}

export function findMember({ elements }: JsonObject, key: string): JsonMember | undefined {
  return elements.findLast((member) => member.key === key)
}

/** An entry of ours in a file. */
export interface OwnHook extends OwnEntry {
  readonly event: string
}

export interface OwnEntry {
  readonly agent: string
  /** The command that it runs, or the URL that it posts to. */
  readonly call: string
  /** What it shows a server; null where it runs a command. */
  readonly token: string | null
}

/** Our hooks in a file. */
export function listHooks({ root }: Understood, wanted: Pick<Wanted, 'target' | 'home'>): readonly OwnHook[] {
  return eventLists(root).flatMap(({ event, list }) =>
    list.elements
      .flatMap(({ value }) => (wanted.target.isGrouped ? handlersOf(value) : [value]))
      .flatMap((handler) => {
        const own = readOwn(handler, wanted)
        return own ? [{ event, ...own }] : []
      }),
  )
}

/** Undefined where an entry is somebody else's, or of another host. */
export function readOwn(handler: JsonNode, { target, home }: Pick<Wanted, 'target' | 'home'>): OwnEntry | undefined {
  const call = textIn(handler, 'command')
  const command = parseCommand(call, home)
  if (command)
    return command.host === target.host ? { agent: command.agent, call: String(call), token: null } : undefined
  const posting = parsePosting(textIn(handler, 'url'), textIn(memberIn(handler, 'headers'), AUTHORIZATION))
  return posting?.host === target.host ? { agent: posting.agent, call: posting.url, token: posting.token } : undefined
}

/** The lists of entries under every `hooks`, a name that stands twice included. */
export function eventLists(
  root: JsonObject | undefined,
): readonly { readonly event: string; readonly list: JsonArray }[] {
  return (root?.elements ?? [])
    .filter(({ key }) => key === HOOKS)
    .flatMap(({ value }) => (value.kind === 'object' ? value.elements : []))
    .flatMap(({ key, value }) => (value.kind === 'array' ? [{ event: key, list: value }] : []))
}

/** The entries of a group. */
export function handlersOf(group: JsonNode): readonly JsonNode[] {
  const handlers = group.kind === 'object' ? findMember(group, HOOKS)?.value : undefined
  return handlers?.kind === 'array' ? handlers.elements.map(({ value }) => value) : []
}

function memberIn(node: JsonNode | undefined, key: string): JsonNode | undefined {
  return node?.kind === 'object' ? findMember(node, key)?.value : undefined
}

function textIn(node: JsonNode | undefined, key: string): unknown {
  const value = memberIn(node, key)
  return value?.kind === 'scalar' ? value.value : undefined
}

/** True where exactly the wanted hooks are there. What else was changed in our entries is the user's own wish. */
export function isInstalled(understood: Understood, wanted: Wanted): boolean {
  const inUse = (command: string) => command.replace(/^"(\$HOME[^"]*)"/, wanted.launcher.startsWith('$') ? '$1' : '$&')
  const found = listHooks(understood, wanted).map(({ event, call, token }) =>
    [event, token === null ? inUse(call) : `${call} ${token}`].join(' '),
  )
  const asked = Object.entries(wanted.target.events).flatMap(([event, forms]) => {
    const posted = postedTo(wanted, event)
    if (posted) return [`${event} ${postUrl(wanted, posted)} ${posted.token}`]
    return forms.map((form) => `${event} ${commandFor(wanted, form)}`)
  })
  return found.toSorted().join('\n') === asked.toSorted().join('\n')
}

function postedTo({ target, server }: Wanted, event: string): PostServer | undefined {
  return target.postable.includes(event) ? server : undefined
}

function postUrl({ target, agent }: Wanted, { url }: PostServer): string {
  return formatPostUrl({ server: url, host: target.host, agent })
}

function commandFor({ target, launcher, agent }: Wanted, { word }: HandlerForm): string {
  return formatCommand({ launcher, host: target.host, agent, word })
}

/** What a host must find under an event. */
function entriesFor(wanted: Wanted, event: string, forms: readonly HandlerForm[]): readonly object[] {
  const posted = postedTo(wanted, event)
  const handlers = posted
    ? [handlerFor(wanted, posted)]
    : forms.map((form) => ({ ...form.before, command: commandFor(wanted, form), ...form.after }))
  return wanted.target.isGrouped ? [{ [HOOKS]: handlers }] : handlers
}

function handlerFor(wanted: Wanted, posted: PostServer): object {
  const headers = { [AUTHORIZATION]: formatAuthorization(posted.token) }
  return { type: 'http', url: postUrl(wanted, posted), headers, timeout: TIMEOUT_S }
}

/** The whole of what a host must find, for a file of ours alone. */
export function hooksFor(wanted: Wanted): Readonly<Record<string, unknown>> {
  const { preamble, events } = wanted.target
  const hooks = Object.fromEntries(
    Object.entries(events).map(([event, forms]) => [event, entriesFor(wanted, event, forms)]),
  )
  return { ...preamble, [HOOKS]: hooks }
}

export function formatHooks(wanted: Wanted): string {
  return formatValue(hooksFor(wanted), layoutOf(''), '', isShort)
}

/** Puts our hooks behind all others, so that the places of those, which some hosts count, stay the same. */
export function addHooks(
  text: string,
  path: string,
  wanted: Wanted,
): { readonly text: string; readonly memory: Memory } {
  const { root, hooks } = understand(text, path)
  const memory = root ? additionsTo(text, path, root, hooks, wanted) : wholeFile(text, wanted)
  return { text: applyInsertions(text, memory.insertions), memory }
}

function wholeFile(text: string, wanted: Wanted): Memory {
  const layout = layoutOf(text)
  const lead = /(?:^\uFEFF?|[\r\n])[ \t]*$/.test(text) ? '' : layout.lineEnd
  const body = formatValue(hooksFor(wanted), layout, '', isShort)
  return { insertions: [{ at: text.length, text: lead + body + layout.lineEnd }], made: ['/'], ends: {} }
}

function additionsTo(
  text: string,
  path: string,
  root: JsonObject,
  hooks: JsonObject | undefined,
  wanted: Wanted,
): Memory {
  const layout = layoutOf(text)
  const insertions: Insertion[] = []
  const made: string[] = []
  const ends: Record<string, End> = {}

  function add(
    where: string,
    container: JsonObject | JsonArray,
    values: readonly (readonly [string, unknown])[],
  ): void {
    if (values.length === 0) return
    const { insertions: added, ...end } = append(text, container, layout, (margin) =>
      values.map(([key, value]) => {
        const name = container.kind === 'object' ? `${JSON.stringify(key)}: ` : ''
        return name + formatValue(value, layout, margin, isShort)
      }),
    )
    insertions.push(...added)
    ends[where] = { ...end, insertion: insertions.length - 1 }
    if (container.kind === 'object') made.push(...values.map(([key]) => `${where === '/' ? '' : where}/${key}`))
  }

  const { [HOOKS]: wantedHooks, ...preamble } = hooksFor(wanted)
  const missing = Object.entries(preamble).filter(([key]) => !findMember(root, key))
  add('/', root, hooks ? missing : [...missing, [HOOKS, wantedHooks]])
  const entries = Object.entries((hooks ? wantedHooks : {}) as Record<string, readonly object[]>)
  const absent = entries.filter(([event, list]) => {
    const known = hooks && findMember(hooks, event)?.value
    if (known === undefined) return true
    if (known.kind !== 'array') {
      const reason = `"${HOOKS}.${event}" is not a list (${place(text, known.start)})`
      throw new PosternError('SETTINGS_REFUSED', { path, reason })
    }
    add(
      `/${HOOKS}/${event}`,
      known,
      list.map((entry) => ['', entry]),
    )
    return false
  })
  if (hooks) add(`/${HOOKS}`, hooks, absent)
  return { insertions, made, ends }
}
