import { describe, expect, it } from 'vitest'
import { createDefinition } from './definition.ts'
import { requireProfile } from './profile.ts'

/** As it stands in seed 003. */
const SEED = {
  type: 'agent_definition',
  agent: {
    slug: 'quinn',
    name: 'Quinn',
    hcs11_profile: {
      version: '1.0',
      type: 1,
      display_name: 'Quinn',
      aiAgent: { type: 1, model: 'claude-sonnet-4-6', capabilities: [4, 16, 18] },
      inboundTopicId: '0.0.1002',
      outboundTopicId: '0.0.1003',
    },
  },
}

describe('the definition of an agent', () => {
  it('wraps its profile as seed 003 does', () => {
    expect(createDefinition('quinn', requireProfile(SEED.agent.hcs11_profile))).toEqual(SEED)
  })
})
