import type { Json } from '../../../model/json.ts'
import { parseSeedPriority, type SeedPriority } from '../../../model/ledger/seed-priority.ts'
import { isEntityType, REF_TYPES, type RefType } from '../../../model/ledger/work-item.ts'
import type { Args, Form, Io, Option } from '../../shell/command.ts'
import { usage } from '../../shell/parse.ts'

export const OWN_AGENT_OPTION: Option = { name: 'agent', value: '<agent>', summary: 'your own agent' }
export const PRIORITY: Option = {
  name: 'priority',
  value: '<1–5>',
  summary: '1 urgent, 2 high, 3 normal (default), 4 low, 5 for information',
}
export const PAGE_OPTIONS: readonly Option[] = [
  { name: 'after', value: '<n>', summary: 'only what stands behind this number' },
  { name: 'limit', value: '<n>', summary: 'at most so many' },
]

export function priorityIn(args: Args): { readonly priority?: SeedPriority } {
  const text = args.get('priority')
  if (text === undefined) return {}
  return { priority: parseSeedPriority(/^\d$/.test(text) ? Number(text) : text) }
}

export function numberIn(form: Form, args: Args, name: string): number | undefined {
  const text = args.get(name)
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text)) throw usage(form, `--${name} takes a number`)
  return Number(text)
}

export function pageIn(form: Form, args: Args): { readonly after?: number; readonly limit?: number } {
  const [after, limit] = [numberIn(form, args, 'after'), numberIn(form, args, 'limit')]
  return { ...(after !== undefined && { after }), ...(limit !== undefined && { limit }) }
}

export function jsonIn(form: Form, args: Args, name: string): Json | undefined {
  const text = args.get(name)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw usage(form, `--${name} is not JSON`)
  }
}

/** Names in one option, by commas or by repetition. */
export function namesIn(args: Args, name: string): readonly string[] {
  return args
    .all(name)
    .flatMap((names) => names.split(','))
    .map((each) => each.trim())
    .filter((each) => each !== '')
}

export function refTypeIn(form: Form, args: Args): { readonly ref_type?: RefType } {
  const text = args.get('ref-type')
  if (text === undefined) return {}
  const type = REF_TYPES.find((each) => each === text)
  if (type === undefined) throw usage(form, `--ref-type is one of ${REF_TYPES.join(', ')}`)
  return { ref_type: type }
}

/** What is said: the argument, or the standard input where that is "-". Undefined where nothing is given. */
export async function saidIn(io: Pick<Io, 'readStdin'>, text: string | undefined): Promise<string | undefined> {
  return text === '-' ? (await io.readStdin()).replace(/\r?\n$/, '') : text
}

/** `task:PROJ-12`, or a name or topic whose type stands in an option. */
export function entityIn(
  form: Form,
  args: Args,
): { readonly entity_id: string; readonly entity_type: 'task' | 'phase' | 'stage' | 'project' } {
  const [named = ''] = args.operands
  const [prefix = '', ...rest] = named.split(':')
  const type = args.get('type') ?? (rest.length > 0 ? prefix : undefined)
  if (type === undefined)
    throw usage(form, 'Name the work item as task:<name>, or say --type task, phase, stage or project')
  if (!isEntityType(type)) throw usage(form, '--type is task, phase, stage or project')
  return { entity_id: rest.length > 0 && prefix === type ? rest.join(':') : named, entity_type: type }
}
