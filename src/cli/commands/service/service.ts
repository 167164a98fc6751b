import type { Service } from '../../../model/sources/service.ts'
import type { NewService, ServiceRef } from '../../../model/sources/services.ts'
import type { Args, Command } from '../../shell/command.ts'
import { numberIn } from '../../shell/numbers.ts'
import { requireOwnAgent } from '../../shell/own-agent.ts'
import { answer, counted } from '../../shell/print.ts'
import { formatTable } from '../../shell/table.ts'
import { ago, requireDuration } from '../../shell/times.ts'

const WHOSE = { name: 'agent', value: '<agent>', summary: 'whose service of that name is meant' } as const

export const serviceCreate: Command = {
  path: 'service create',
  isForPeople: true,
  isAboutAgent: true,
  summary: 'Register an outside system that may wake an agent. Its key is shown once.',
  operands: '<name>',
  options: [{ name: 'agent', value: '<agent>', summary: 'the agent it may wake (default: yourself)' }],
  examples: ['postern service create jira-webhook --agent developer --json'],

  async run(io, args) {
    const postern = await io.open()
    const agent = await requireOwnAgent(io, args, postern)
    const service = await postern.services.create({ name: args.operands[0] ?? '', agent })
    answer(io, service, `Registered: ${service.name} may wake ${service.agent}.\n${formatCredentials(service)}`)
    return undefined
  },
}

export const serviceList: Command = {
  path: 'service list',
  isAboutAgent: true,
  summary: 'List the services that may wake agents.',
  options: [
    { name: 'agent', value: '<agent>', summary: 'only those of one agent' },
    { name: 'all', summary: 'also those that were revoked' },
  ],

  async run(io, args) {
    const postern = await io.open()
    const agent = args.get('agent')
    const items = await postern.services.list({ ...(agent !== undefined && { agent }), revoked: args.has('all') })
    const rows = items.map((service) => {
      const { id, name, agent: woken, lastEventAt, events } = service
      const heard = lastEventAt === null ? 'never' : ago(lastEventAt, io.now())
      return [id, name, woken, stateOf(service, io.now()), `${counted(events, 'event')}, last ${heard}`]
    })
    const table = formatTable(['ID', 'NAME', 'AGENT', 'KEY', 'HEARD'], rows, io.stdout.columns)
    answer(io, { items, next: null }, items.length === 0 ? 'No service is registered.' : table)
    return undefined
  },
}

export const serviceEvents: Command = {
  path: 'service events',
  isAboutAgent: true,
  summary: 'List the last events of a service, newest first.',
  operands: '<service>',
  options: [WHOSE, { name: 'limit', value: '<n>', summary: 'at most so many (default 20)' }],
  examples: ['postern service events jira-webhook --agent developer'],

  async run(io, args) {
    const postern = await io.open()
    const limit = numberIn(args, 'limit')
    const items = await postern.services.events({
      ...refOf(args),
      ...(limit !== undefined && { limit }),
    })
    const rows = items.map(({ id, createdAt, state, subject, content }) => [
      id,
      ago(createdAt, io.now()),
      state,
      subject ?? content,
    ])
    const table = formatTable(['ID', 'CAME', 'STATE', 'WHAT'], rows, io.stdout.columns)
    answer(io, { items, next: null }, items.length === 0 ? 'It has sent nothing of late.' : table)
    return undefined
  },
}

export const serviceReplay: Command = {
  path: 'service replay',
  isForPeople: true,
  isAboutAgent: true,
  summary: 'Bring an earlier event of a service to its agent once more.',
  operands: '<service> <event>',
  options: [WHOSE],
  examples: ['postern service replay jira-webhook msg_01J…'],

  async run(io, args) {
    const postern = await io.open()
    const replayed = await postern.services.replay({ ...refOf(args), eventId: args.operands[1] ?? '' })
    answer(io, replayed, `Brought again as ${replayed.eventId}`)
    return undefined
  },
}

export const serviceRotate: Command = {
  path: 'service rotate',
  isForPeople: true,
  isAboutAgent: true,
  summary: 'Give a service a new key; the one before stays good for a while.',
  operands: '<service>',
  options: [
    WHOSE,
    {
      name: 'overlap',
      value: '<duration>',
      summary: 'how long the key before stays good (default 24h, 0s: not at all)',
    },
  ],
  examples: ['postern service rotate jira-webhook --agent developer --overlap 1h'],

  async run(io, args) {
    const overlap = args.get('overlap')
    const postern = await io.open()
    const service = await postern.services.rotate({
      ...refOf(args),
      ...(overlap !== undefined && { overlapMs: requireDuration(overlap) }),
    })
    const until =
      service.overlapUntilAt === null
        ? 'is worthless, and so is every earlier one'
        : `is good until ${iso(service.overlapUntilAt)}`
    answer(io, service, `New key: ${service.name}. The one before ${until}.\n${formatCredentials(service)}`)
    return undefined
  },
}

export const serviceRevoke: Command = {
  path: 'service revoke',
  isForPeople: true,
  isAboutAgent: true,
  summary: 'Make the keys of a service worthless.',
  operands: '<service>',
  options: [WHOSE],

  async run(io, args) {
    const postern = await io.open()
    const service = await postern.services.revoke(refOf(args))
    answer(io, service, `Revoked: ${service.name} cannot wake ${service.agent} any more.`)
    return undefined
  },
}

function refOf(args: Args): ServiceRef {
  const agent = args.get('agent')
  return { id: args.operands[0] ?? '', ...(agent !== undefined && { agent }) }
}

function stateOf({ revokedAt, overlapUntilAt }: Service, now: number): string {
  if (revokedAt !== null) return 'revoked'
  return overlapUntilAt !== null && now < overlapUntilAt ? 'two are good' : 'good'
}

function formatCredentials({ agent, key, signingSecret }: NewService): string {
  return [
    `  key             ${key}`,
    `  signing secret  ${signingSecret}`,
    'Keep them safe: they are shown this once.',
    `Events go to POST /api/agents/${agent}/trigger, with the key in the header x-secret-key or signed as Standard Webhooks.`,
  ].join('\n')
}

function iso(at: number): string {
  return new Date(at).toISOString()
}
