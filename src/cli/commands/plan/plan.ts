import { parsePriority } from '../../../model/priority.ts'
import { parseMissedPolicy } from '../../../model/sources/plan.ts'
import type { PlanInFull, PlanRef, SetPlan } from '../../../model/sources/plans.ts'
import { showBlock, showField } from '../../../render/terminal.ts'
import type { Args, Command, Io } from '../../shell/command.ts'
import { ownAgent } from '../../shell/own-agent.ts'
import { usage } from '../../shell/parse.ts'
import { answer, counted, folded } from '../../shell/print.ts'
import { formatTable } from '../../shell/table.ts'

const WHOSE = { name: 'agent', value: '<agent>', summary: 'whose plan it is (default: yours)' } as const
const MAX_WIDTH = 2_000

export const planSet: Command = {
  path: 'plan set',
  isAboutAgent: true,
  summary: 'Set a message for later: in a while, on a date, or again and again.',
  operands: '[instruction]',
  options: [
    { ...WHOSE, summary: 'whose inbox it comes to (default: yours)' },
    { name: 'name', value: '<text>', summary: 'what it is called; the plan of this name is changed if there is one' },
    { name: 'id', value: '<id>', summary: 'the plan to change' },
    { name: 'run-after', value: '<duration>', summary: 'once, after a while, such as "5 hours"' },
    { name: 'at', value: '<date>', summary: 'once, on a date with its zone, such as 2026-02-20T10:00:00Z' },
    { name: 'cron', value: '<fields>', summary: 'again and again: minute, hour, day of month, month, day of week' },
    { name: 'tz', value: '<zone>', summary: 'the zone of --cron, such as Europe/Berlin (default UTC)' },
    { name: 'missed', value: '<policy>', summary: 'what nobody could fire: once (the latest, default), skip or all' },
    { name: 'gate', value: '<id>', summary: 'only once this gate is not open any more' },
    { name: 'priority', value: '<0–4>', summary: '0 critical, 1 high, 2 normal (default), 3 low, 4 fyi' },
  ],
  examples: [
    'postern plan set --agent analyst --name soon --run-after "5 hours" "Look at the numbers again"',
    'postern plan set --agent analyst --name launch --at 2030-02-20T10:00:00Z "Announce the launch"',
    'postern plan set --agent analyst --name weekly --cron "0 9 * * 1" --tz Europe/Berlin "Write the weekly report"',
  ],

  async run(io, args) {
    const input = readPlan(args)
    const postern = await io.open()
    const agent = await ownAgent(io, args, postern)
    const [plan] = await postern.plans.set({ plans: [{ ...input, ...(agent !== undefined && { agent }) }] })
    if (plan) answer(io, plan, `${describe(plan)}\n${formatUpcoming(plan)}`)
    return undefined
  },
}

const TIMES = ['run-after', 'at', 'cron'] as const

function readPlan(args: Args): SetPlan {
  const given = TIMES.filter((name) => args.has(name))
  if (given.length > 1) throw usage(planSet, `A plan has one time: --${given.join(' or --')}`)
  const instruction = args.operands[0]
  return {
    ...(instruction !== undefined && { instruction }),
    ...text(args, 'id', 'id'),
    ...text(args, 'name', 'name'),
    ...text(args, 'run-after', 'runAfter'),
    ...text(args, 'at', 'scheduledAt'),
    ...text(args, 'cron', 'cron'),
    ...text(args, 'tz', 'zone'),
    ...text(args, 'gate', 'gate'),
    ...(args.has('missed') && { missed: parseMissedPolicy(args.get('missed')) }),
    ...(args.has('priority') && { priority: parsePriority(args.get('priority')) }),
  }
}

function text<K extends string>(args: Args, name: string, key: K): Partial<Record<K, string>> {
  const value = args.get(name)
  return value === undefined ? {} : ({ [key]: value } as Record<K, string>)
}

export const planList: Command = {
  path: 'plan list',
  isAboutAgent: true,
  summary: 'List plans, soonest first.',
  options: [
    { name: 'agent', value: '<agent>', summary: 'only those of one agent' },
    { name: 'all', summary: 'also those that have fired for the last time' },
  ],

  async run(io, args) {
    const postern = await io.open()
    const agent = args.get('agent')
    const items = await postern.plans.list({ all: args.has('all'), ...(agent !== undefined && { agent }) })
    const rows = items.map((plan) => [
      plan.id,
      plan.agent,
      plan.name,
      rhythmOf(plan),
      nextOf(plan),
      String(plan.runs),
      plan.instruction,
    ])
    const table = formatTable(['ID', 'AGENT', 'NAME', 'WHEN', 'NEXT', 'RUNS', 'INSTRUCTION'], rows, io.stdout.columns)
    answer(io, { items, next: null }, items.length === 0 ? 'No plan waits.' : table)
    return undefined
  },
}

export const planShow: Command = {
  path: 'plan show',
  isAboutAgent: true,
  summary: 'Show a plan and when it fires next.',
  operands: '<plan>',
  options: [WHOSE],

  async run(io, args) {
    const postern = await io.open()
    const plan = await postern.plans.show(await refIn(io, args))
    const { instruction, missed, gateId, lastRunAt, runs } = plan
    const lines = [
      describe(plan),
      showBlock(instruction),
      ...(gateId === null ? [] : [`waits for ${gateId}`]),
      `missed: ${missed}`,
      lastRunAt === null
        ? 'has not fired yet'
        : `fired ${counted(runs, 'time')}, last at ${new Date(lastRunAt).toISOString()}`,
      formatUpcoming(plan),
    ]
    answer(io, plan, folded(io, lines.join('\n')))
    return undefined
  },
}

export const planDelete: Command = {
  path: 'plan delete',
  isAboutAgent: true,
  summary: 'Delete plans: all of them or none. What has fired stays where it went.',
  operands: '<plan…>',
  options: [WHOSE],

  async run(io, args) {
    const postern = await io.open()
    const agent = await ownAgent(io, args, postern)
    const deleted = await postern.plans.delete({ ids: args.operands, ...(agent !== undefined && { agent }) })
    answer(io, deleted, `Deleted: ${deleted.deleted.join(', ')}.`)
    return undefined
  },
}

export const planPause: Command = {
  path: 'plan pause',
  isAboutAgent: true,
  summary: 'Let a plan rest: what would come meanwhile never fires.',
  operands: '<plan>',
  options: [WHOSE],

  async run(io, args) {
    const postern = await io.open()
    const plan = await postern.plans.pause(await refIn(io, args))
    answer(io, plan, `Paused: ${describe(plan)}`)
    return undefined
  },
}

export const planResume: Command = {
  path: 'plan resume',
  isAboutAgent: true,
  summary: 'Let a plan go on that was paused.',
  operands: '<plan>',
  options: [WHOSE],

  async run(io, args) {
    const postern = await io.open()
    const plan = await postern.plans.resume(await refIn(io, args))
    answer(io, plan, `Goes on: ${describe(plan)}\n${formatUpcoming(plan)}`)
    return undefined
  },
}

export const planRun: Command = {
  path: 'plan run',
  isAboutAgent: true,
  summary: 'Fire a plan now; its own times stay as they are.',
  operands: '<plan>',
  options: [WHOSE],

  async run(io, args) {
    const postern = await io.open()
    const ran = await postern.plans.run(await refIn(io, args))
    answer(io, ran, `Fired: ${ran.messageId} for ${ran.plan.agent}.`)
    return undefined
  },
}

/** By its id, which needs no agent; or by its name, which does. */
async function refIn(io: Io, args: Args): Promise<PlanRef> {
  const agent = await ownAgent(io, args, await io.open())
  return { id: args.operands[0] ?? '', ...(agent !== undefined && { agent }) }
}

function describe(plan: PlanInFull): string {
  const { id, agent, name } = plan
  return showField(`${id}: ${name === id ? '' : `${name}, `}a plan of ${agent}, ${rhythmOf(plan)}`, MAX_WIDTH)
}

function rhythmOf({ cron, zone, gateId }: PlanInFull): string {
  if (cron !== null) return `${cron} (${zone})`
  return gateId === null ? 'once' : 'once, after a gate'
}

function nextOf({ nextRunAt, pausedAt }: PlanInFull): string {
  if (pausedAt !== null) return 'paused'
  return nextRunAt === null ? 'done' : new Date(nextRunAt).toISOString()
}

/** Each instant as its zone tells it, and as everybody does. */
function formatUpcoming(plan: PlanInFull): string {
  const { upcomingAt, zone, pausedAt } = plan
  if (upcomingAt.length === 0) return pausedAt === null ? 'It does not fire any more.' : 'It is paused.'
  const lines = upcomingAt.map((at) => `  ${formatIn(at, zone)} · ${new Date(at).toISOString()}`)
  return ['next:', ...lines].join('\n')
}

function formatIn(at: number, zone: string): string {
  const parts = new Intl.DateTimeFormat('sv', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(at)
  return `${parts} ${zone}`
}
