import type { BusPage, PostedEntry } from '../../model/bus/bus.ts'
import { PosternError } from '../../model/errors.ts'
import type { LeftItem } from '../../model/handoff/handoff.ts'
import type { Plan } from '../../model/sources/plan.ts'
import { LINE, neutralise } from '../../render/neutralise.ts'
import { formatTime, token } from '../../render/provenance.ts'
import { quoteBusEntry, quotePlan } from '../../render/quoted.ts'
import { quote } from '../quote.ts'
import { counted, enumerated } from './sentences.ts'
import { type Handlers, type Input, operate, type ToolAnswer, type ToolCall, withoutKey } from './tool-call.ts'

/** What each of these tools does, by its name. */
export const WORK_HANDLERS: Handlers = {
  plan_set: setPlan,
  bus_post: postEntry,
  bus_read: readBus,
  handoff_leave: leaveItem,
  set_plans: setPlans,
  get_plans: getPlans,
  delete_plans: deletePlans,
}

const TAIL = 20
const PAGE = 50

async function setPlan(call: ToolCall): Promise<ToolAnswer> {
  const [plan] = await operate<readonly Plan[]>(call, 'plans.set', { plans: [withoutKey(call)] })
  return { structured: plan, text: plan ? describePlan(plan) : 'Nothing was set.' }
}

async function setPlans(call: ToolCall): Promise<ToolAnswer> {
  const plans = await operate<readonly Plan[]>(call, 'plans.set', withoutKey(call))
  return { structured: { plans }, text: plans.map(describePlan).join('\n') || 'Nothing was set.' }
}

async function getPlans(call: ToolCall): Promise<ToolAnswer> {
  const plans = await operate<readonly Plan[]>(call, 'plans.list', call.input)
  const text = plans.length === 0 ? 'No plans.' : await quote(call.connection, 'plans', plans.map(quotePlan))
  return { structured: { text, plans }, text }
}

async function deletePlans(call: ToolCall): Promise<ToolAnswer> {
  const { deleted } = await operate<{ readonly deleted: readonly string[] }>(call, 'plans.delete', withoutKey(call))
  return { structured: { deleted }, text: `${counted(deleted.length, 'plan')} deleted.` }
}

function describePlan({ id, nextRunAt }: Pick<Plan, 'id' | 'nextRunAt'>): string {
  return nextRunAt === null ? `${token(id)} will not fire again.` : `${token(id)} fires at ${formatTime(nextRunAt)}.`
}

async function postEntry(call: ToolCall): Promise<ToolAnswer> {
  const { bus } = call.connection.places
  const run = bus?.runId === undefined ? {} : { run_id: bus.runId }
  const posted = await operate<PostedEntry>(call, 'bus.post', { ...run, ...inPlace(call, withoutKey(call)) })
  return {
    structured: posted,
    text: [`Posted as ${token(posted.msg_id)}.`, ...posted.warnings.map((each) => neutralise(each, LINE))].join(' '),
  }
}

/** Without a cursor the end of the log is what matters: it may be long. */
async function readBus(call: ToolCall): Promise<ToolAnswer> {
  const { connection, input } = call
  const tail = Math.min((input['tail'] as number | undefined) || TAIL, PAGE)
  const bound = input['after'] === undefined ? { tail } : { limit: PAGE, tail: undefined }
  const place = inPlace(call, input)
  const { items, cursor, hasMore } = await operate<BusPage>(call, 'bus.read', defined({ ...place, ...bound }))
  const bus = [place['project_id'], place['task_id']]
    .filter((part) => part !== undefined)
    .map((part) => token(String(part)))
  const text =
    items.length === 0 ? 'No entries.' : await quote(connection, `bus ${bus.join('/')}`, items.map(quoteBusEntry))
  return { structured: { text, cursor, hasMore }, text }
}

function defined(input: Input): Input {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
}

/** The bus that is named, else the one that the agent works on. */
function inPlace({ connection: { places } }: ToolCall, input: Input): Input {
  if (input['project_id'] !== undefined) return input
  if (places.bus === undefined) {
    throw new PosternError('USAGE', {
      message: 'It is not clear which bus is meant.',
      next: 'Name project_id, and task_id for a task.',
    })
  }
  const { project_id, task_id } = places.bus
  return { project_id, ...(task_id !== undefined && { task_id }), ...input }
}

async function leaveItem(call: ToolCall): Promise<ToolAnswer> {
  const { connection } = call
  const project = call.input['project'] ?? connection.places.project
  if (project === undefined) {
    throw new PosternError('USAGE', {
      message: 'It is not clear which project is meant.',
      next: 'Name the folder of the project.',
    })
  }
  const sessionId = await connection.sessionId()
  // Under a key it must be the same item in the session after a crash too.
  const isKeyed = call.input['dedupKey'] !== undefined
  const session = sessionId === undefined || isKeyed ? {} : { session: sessionId }
  const left = await operate<LeftItem>(call, 'handoff.leave', { ...session, ...withoutKey(call), project })
  return { structured: left, text: `Left as ${enumerated([token(left.name)], '')} for the next session.` }
}
