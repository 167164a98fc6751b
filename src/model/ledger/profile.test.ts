import { describe, expect, it } from 'vitest'
import { createProfile, type ProfileIdentity, requireCapabilities, requireProfile } from './profile.ts'

const QUINN = { id: 'quinn', kind: 'ai', displayName: 'Quinn' } as const
const JUSTIN = { id: 'justin', kind: 'human', displayName: 'Justin' } as const
const IDENTITY: ProfileIdentity = {
  inboundTopicId: '0.0.1002',
  outboundTopicId: '0.0.1003',
  capabilities: [4, 16, 18],
  model: 'claude-sonnet-4-6',
  bio: null,
  uaid: 'uaid:aid:x;uid=0.0.1002@0.0.1001',
}

const REFUSED = expect.objectContaining({ code: 'PROFILE_INVALID' })

describe('a profile', () => {
  it('is that of the seed, with what the standard requires beside it', () => {
    expect(createProfile(QUINN, IDENTITY)).toEqual({
      version: '1.0',
      type: 1,
      display_name: 'Quinn',
      alias: 'quinn',
      uaid: 'uaid:aid:x;uid=0.0.1002@0.0.1001',
      properties: { postern: { agent: 'quinn', kind: 'ai' } },
      aiAgent: { type: 1, model: 'claude-sonnet-4-6', capabilities: [4, 16, 18] },
      inboundTopicId: '0.0.1002',
      outboundTopicId: '0.0.1003',
    })
  })

  it('of a person is personal', () => {
    const profile = createProfile(JUSTIN, { ...IDENTITY, bio: 'Decides.' })
    expect(profile).toMatchObject({ type: 0, display_name: 'Justin', bio: 'Decides.' })
    expect(profile.aiAgent).toBeUndefined()
  })

  it('names a model in any case, for the reference requires one', () => {
    expect(createProfile(QUINN, { ...IDENTITY, model: null }).aiAgent?.model).toBe('unspecified')
  })

  it.each([
    [[]],
    [[19]],
    [[-1]],
    [[1.5]],
    [['4']],
    [[4, 40]],
    [[Number.NaN]],
  ])('is refused with the capabilities %j', (capabilities) => {
    expect(() => requireCapabilities(capabilities)).toThrow(REFUSED)
    expect(() => createProfile(QUINN, { ...IDENTITY, capabilities: capabilities as number[] })).toThrow(REFUSED)
  })

  it('takes all capabilities from 0 to 18, each once and in order', () => {
    const all = Array.from({ length: 19 }, (_, code) => code)
    expect(requireCapabilities([...all].reverse().concat(all))).toEqual(all)
  })

  it.each([
    ['no object', null],
    ['no version', { type: 0, display_name: 'x' }],
    ['an unknown type', { version: '1.0', type: 7, display_name: 'x' }],
    ['a type as text', { version: '1.0', type: '1', display_name: 'x' }],
    ['a blank name', { version: '1.0', type: 0, display_name: ' ' }],
    ['a number as bio', { version: '1.0', type: 0, display_name: 'x', bio: 5 }],
    ['a topic that is none', { version: '1.0', type: 0, display_name: 'x', inboundTopicId: '0.0.XXXXX' }],
    ['another topic that is none', { version: '1.0', type: 0, display_name: 'x', outboundTopicId: 5 }],
    ['properties that are a list', { version: '1.0', type: 0, display_name: 'x', properties: [] }],
    ['an agent without aiAgent', { version: '1.0', type: 1, display_name: 'x' }],
    ['an aiAgent of no type', agent({ model: 'm', capabilities: [1] })],
    ['an aiAgent without a model', agent({ type: 1, model: '', capabilities: [1] })],
    ['an aiAgent without capabilities', agent({ type: 1, model: 'm' })],
    ['a creator that is not text', agent({ type: 1, model: 'm', capabilities: [1], creator: 1 })],
  ])('is refused where it has %s', (_, profile) => {
    expect(() => requireProfile(profile)).toThrow(REFUSED)
  })
})

function agent(aiAgent: unknown): unknown {
  return { version: '1.0', type: 1, display_name: 'x', aiAgent }
}
