import type { Profile } from './profile.ts'

/** An agent as seed 003 publishes it on the shared definitions topic, around its HCS-11 profile. */
export interface AgentDefinition {
  readonly type: 'agent_definition'
  readonly agent: {
    readonly slug: string
    readonly name: string
    readonly hcs11_profile: Profile
  }
}

export function createDefinition(slug: string, profile: Profile): AgentDefinition {
  return { type: 'agent_definition', agent: { slug, name: profile.display_name, hcs11_profile: profile } }
}
