import { expect } from 'vitest'
import type { Token } from '../../../src/model/network/token.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { caller, conformance, refused } from '../suite.ts'

const EVERYONE = ['quinn', { id: 'justin', kind: 'human' }, { id: 'ci', kind: 'service' }] as const
const DAY_MS = 86_400_000

/** Those of the test: a server has one of its own. */
async function tokensOf(postern: Postern, input: { readonly revoked?: boolean } = {}): Promise<readonly Token[]> {
  return (await postern.tokens.list(input)).filter(({ createdBy }) => createdBy !== 'system')
}

const make = (postern: Postern, scope: string) => postern.tokens.create({ scope })

conformance('tokens', ({ rule, open }) => {
  rule('are shown once, and listed without their secrets', async () => {
    verifies('S001.token.shown-once')
    const { postern, now, advance } = await open({ agents: EVERYONE })
    const created = await postern
      .as(caller('justin', 'human'))
      .tokens.create({ scope: 'agent:quinn', label: 'the build', ttlMs: 30 * DAY_MS })
    const { token, ...kept } = created
    expect(token).toMatch(/^pst_[A-Za-z0-9_-]{43}$/)
    expect(kept).toEqual({
      id: expect.stringMatching(/^tok_/),
      scope: 'agent:quinn',
      label: 'the build',
      createdBy: 'justin',
      createdAt: now(),
      expiresAt: now() + 30 * DAY_MS,
      revokedAt: null,
      parentId: null,
    })
    expect(await tokensOf(postern)).toEqual([kept])
    advance(1)
    expect((await make(postern, 'admin')).token).not.toBe((await make(postern, 'admin')).token)
    expect((await tokensOf(postern)).map(({ scope }) => scope)).toEqual(['admin', 'admin', 'agent:quinn'])
  })

  rule('speak for somebody who is registered, as what they are', async () => {
    verifies('S001.token.scopes')
    const { postern } = await open({ agents: EVERYONE })
    for (const scope of ['admin', 'human:justin', 'agent:quinn', 'service:ci']) {
      expect(await make(postern, scope)).toMatchObject({ scope, expiresAt: null, label: '' })
    }
    for (const scope of ['human:quinn', 'agent:justin', 'agent:ci', 'service:quinn']) {
      const { next } = await refused(make(postern, scope), 'VALUE_INVALID')
      expect(next).toMatch(/use "(human:justin|agent:quinn|service:ci)"/)
    }
    for (const scope of ['', 'root', 'admin:justin', 'agent', 'agent:', 'Agent:quinn', 'agent quinn', '\0', '\ud800']) {
      await refused(make(postern, scope), 'SCOPE_INVALID')
    }
    await refused(make(postern, 'agent:Quinn'), 'AGENT_ID_INVALID')
    await refused(make(postern, 'agent:system'), 'AGENT_ID_RESERVED')
    await refused(make(postern, 'agent:nobody'), 'AGENT_NOT_FOUND')
    await postern.agents.remove({ id: 'quinn' })
    await refused(make(postern, 'agent:quinn'), 'AGENT_NOT_FOUND')
    expect(await tokensOf(postern)).toHaveLength(4)
  })

  rule('are bounded in what is said of them', async () => {
    const { postern } = await open({ agents: EVERYONE })
    const create = (more: object) => postern.tokens.create({ scope: 'admin', ...more })
    for (const ttlMs of [0, -1, 0.5, Number.NaN, 400 * DAY_MS]) await refused(create({ ttlMs }), 'DURATION_INVALID')
    await refused(create({ label: 'x'.repeat(201) }), 'CONTENT_TOO_LARGE')
    await refused(create({ label: 'a\0b' }), 'TEXT_INVALID')
    expect(await tokensOf(postern)).toEqual([])
  })

  rule('are revoked once and for all', async () => {
    verifies('S001.token.revoked')
    const { postern, now, advance } = await open({ agents: EVERYONE })
    const { id, token: _, ...kept } = await make(postern, 'agent:quinn')
    advance(5)
    const revoked = { id, ...kept, revokedAt: now() }
    expect(await postern.tokens.revoke({ id })).toEqual(revoked)
    advance(5)
    expect(await postern.tokens.revoke({ id })).toEqual(revoked)
    expect(await tokensOf(postern)).toEqual([])
    expect(await tokensOf(postern, { revoked: true })).toEqual([revoked])
    for (const unknown of ['tok_none', '', 'a\0b', '\ud800', 'x'.repeat(300)]) {
      await refused(postern.tokens.revoke({ id: unknown }), 'TOKEN_NOT_FOUND')
    }
  })

  rule('are neither made nor revoked by programs', async () => {
    verifies('S001.token.people')
    const { postern } = await open({ agents: EVERYONE })
    const { id } = await make(postern, 'admin')
    for (const program of [postern.as(caller('quinn')), postern.as(caller('ci', 'service'))]) {
      await refused(make(program, 'admin'), 'NOT_ALLOWED')
      await refused(program.tokens.revoke({ id }), 'NOT_ALLOWED')
    }
    expect(await tokensOf(postern)).toHaveLength(1)
  })
})
