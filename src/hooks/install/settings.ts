import { PosternError } from '../../model/errors.ts'
import { formatCommand, parseCommand } from './command-line.ts'
import { type JsonArray, type JsonMember, type JsonNode, type JsonObject, JsonProblem, parseJsonc } from './jsonc.ts'
import { type Appended, append, applyInsertions, formatValue, type Insertion, layoutOf } from './splice.ts'
import type { HandlerForm, Target } from './targets.ts'

/** Whose hooks stand, or shall stand, in a host's settings. */
export interface Wanted {
  readonly target: Target
  /** As a shell reads it. */
  readonly launcher: string
  readonly agent: string
  /** Where our things are. */
  readonly home: string
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
const isHandler = (value: object) => 'command' in value

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
export interface OwnHook {
  readonly event: string
  readonly command: string
  readonly agent: string
}

/** Our hooks in a file. */
export function listHooks({ root }: Understood, { target, home }: Pick<Wanted, 'target' | 'home'>): readonly OwnHook[] {
  return eventLists(root).flatMap(({ event, list }) =>
    list.elements
      .flatMap(({ value }) => (target.isGrouped ? handlersOf(value) : [value]))
      .flatMap((handler) => {
        const command = commandOf(handler)
        const own = parseCommand(command, home)
        return own?.host === target.host ? [{ event, command: String(command), agent: own.agent }] : []
      }),
  )
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

export function commandOf(handler: JsonNode): unknown {
  const command = handler.kind === 'object' ? findMember(handler, 'command')?.value : undefined
  return command?.kind === 'scalar' ? command.value : undefined
}

/** True where exactly the wanted hooks are there. What else was changed in our entries is the user's own wish. */
export function isInstalled(understood: Understood, wanted: Wanted): boolean {
  const inUse = (command: string) => command.replace(/^"(\$HOME[^"]*)"/, wanted.launcher.startsWith('$') ? '$1' : '$&')
  const found = listHooks(understood, wanted).map(({ event, command }) => `${event} ${inUse(command)}`)
  const asked = Object.entries(wanted.target.events).flatMap(([event, forms]) =>
    forms.map((form) => `${event} ${commandFor(wanted, form)}`),
  )
  return found.toSorted().join('\n') === asked.toSorted().join('\n')
}

function commandFor({ target, launcher, agent }: Wanted, { word }: HandlerForm): string {
  return formatCommand({ launcher, host: target.host, agent, word })
}

/** What a host must find under an event. */
function entriesFor(wanted: Wanted, forms: readonly HandlerForm[]): readonly object[] {
  const handlers = forms.map((form) => ({ ...form.before, command: commandFor(wanted, form), ...form.after }))
  return wanted.target.isGrouped ? [{ [HOOKS]: handlers }] : handlers
}

/** The whole of what a host must find, for a file of ours alone. */
export function hooksFor(wanted: Wanted): Readonly<Record<string, unknown>> {
  const { preamble, events } = wanted.target
  const hooks = Object.fromEntries(Object.entries(events).map(([event, forms]) => [event, entriesFor(wanted, forms)]))
  return { ...preamble, [HOOKS]: hooks }
}

export function formatHooks(wanted: Wanted): string {
  return formatValue(hooksFor(wanted), layoutOf(''), '', isHandler)
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
  const body = formatValue(hooksFor(wanted), layout, '', isHandler)
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
        return name + formatValue(value, layout, margin, isHandler)
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
