import { isAgentId } from '../../model/agent.ts'
import { EVERYBODY } from '../../model/message.ts'
import { isRecord } from './config-file.ts'
import { defineGroup } from './group.ts'

/** What programs may do beyond the rules for every program. */
export interface AllowSettings {
  /** The agents that each program may hold with gates. */
  readonly gates: Readonly<Record<string, readonly string[]>>
}

export const ALLOW = defineGroup<AllowSettings>('allow', {
  gates: {
    default: '`{}`',
    help: 'programs that may set gates for other agents, such as `{ "conductor": ["quinn"] }`; `["all"]` means every agent',
    parse(value = {}, place) {
      const isList = (agents: unknown) =>
        Array.isArray(agents) && agents.every((agent) => agent === EVERYBODY || isAgentId(agent))
      if (!isRecord(value) || !Object.entries(value).every(([id, agents]) => isAgentId(id) && isList(agents)))
        throw place.fault('does not name a list of agents for each program, such as { "conductor": ["quinn"] }')
      return value as AllowSettings['gates']
    },
  },
})

/** Whether the configuration lets a program hold an agent. */
export function allowsGate({ gates }: AllowSettings, program: string, agent: string): boolean {
  const agents = Object.hasOwn(gates, program) ? (gates[program] ?? []) : []
  return agents.includes(EVERYBODY) || agents.includes(agent)
}
