import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { createPostern } from '../../core/postern.ts'
import type { Postern } from '../../model/postern.ts'
import { openContext } from '../open/context.ts'
import { openEmbedded } from '../open/store.ts'
import { createCredentials } from './credentials.ts'

const NOWHERE = `pst_${'A'.repeat(43)}`

/** A store with a clock of its own; `again` is another process that has it open too. */
async function open(home = temporaryFolder(), clock = { now: 1_000_000 }) {
  const { store, wire } = await openEmbedded(join(home, 'postern.db'), { now: () => clock.now })
  const { ctx } = openContext(store, wire, {})
  onTestFinished(async () => {
    await wire.close()
    await store.close()
  })
  const postern: Postern = createPostern(ctx, async () => {})
  return { clock, postern, credentials: createCredentials(ctx), again: () => open(home, clock) }
}

async function openWithAgents() {
  const world = await open()
  await world.postern.agents.add({ id: 'quinn' })
  await world.postern.agents.add({ id: 'justin', kind: 'human' })
  await world.postern.agents.add({ id: 'ci', kind: 'service' })
  return world
}

describe('credentials', () => {
  it('tell whom a token speaks for', async () => {
    const { postern, credentials } = await openWithAgents()
    const callers = {
      admin: { id: 'local', kind: 'local' },
      'human:justin': { id: 'justin', kind: 'human' },
      'agent:quinn': { id: 'quinn', kind: 'ai' },
      'service:ci': { id: 'ci', kind: 'service' },
    }
    for (const [scope, caller] of Object.entries(callers)) {
      const { id, token } = await postern.tokens.create({ scope })
      const identity = { tokenId: id, caller: { ...caller, verified: true, via: 'http' } }
      expect(await credentials.identify(token)).toMatchObject(identity)
      expect(await credentials.identify(token)).toMatchObject(identity)
    }
  })

  it('know nobody by what is no token, or by none of theirs', async () => {
    const { credentials } = await openWithAgents()
    for (const text of [
      '',
      'x',
      'pst_',
      NOWHERE,
      `${NOWHERE}A`,
      `${NOWHERE}\n`,
      ` ${NOWHERE}`,
      `sk_${'A'.repeat(43)}`,
    ]) {
      expect(await credentials.identify(text)).toBeUndefined()
    }
  })

  it('forget a token at once where it is revoked, and within five seconds elsewhere', async () => {
    const { postern, credentials, clock, again } = await openWithAgents()
    const elsewhere = await again()
    const { id, token } = await postern.tokens.create({ scope: 'admin' })
    expect(await credentials.identify(token)).toBeDefined()
    expect(await elsewhere.credentials.identify(token)).toBeDefined()
    await postern.tokens.revoke({ id })
    expect(await credentials.identify(token)).toBeUndefined()
    clock.now += 5_000
    expect(await elsewhere.credentials.identify(token)).toBeUndefined()
  })

  it('remember nobody for longer because the clock was set back', async () => {
    const { postern, credentials, clock, again } = await openWithAgents()
    const { id, token } = await postern.tokens.create({ scope: 'admin' })
    expect(await credentials.identify(token)).toBeDefined()
    await (await again()).postern.tokens.revoke({ id })
    clock.now -= 60_000
    expect(await credentials.identify(token)).toBeUndefined()
  })

  it('are good until they expire, and not a moment longer', async () => {
    const { postern, credentials, clock } = await openWithAgents()
    const { token } = await postern.tokens.create({ scope: 'agent:quinn', ttlMs: 1_000 })
    clock.now += 999
    expect(await credentials.identify(token)).toBeDefined()
    clock.now += 1
    expect(await credentials.identify(token)).toBeUndefined()
  })

  it('go with the agent they speak for', async () => {
    const { postern, credentials, clock } = await openWithAgents()
    const { token } = await postern.tokens.create({ scope: 'agent:quinn' })
    expect(await credentials.identify(token)).toBeDefined()
    await postern.agents.remove({ id: 'quinn' })
    clock.now += 5_000
    expect(await credentials.identify(token)).toBeUndefined()
  })

  it('adopt a token that somebody has already, once, and never one that was revoked', async () => {
    const { postern, credentials } = await openWithAgents()
    expect(await credentials.adopt(NOWHERE, 'the token of the home')).toBe(true)
    expect(await credentials.adopt(NOWHERE, 'the token of the home')).toBe(true)
    const [kept, ...others] = await postern.tokens.list()
    expect(others).toEqual([])
    expect(kept).toMatchObject({ scope: 'admin', label: 'the token of the home' })
    expect(await credentials.identify(NOWHERE)).toMatchObject({ scope: { kind: 'admin', id: null } })
    await postern.tokens.revoke({ id: kept?.id ?? '' })
    expect(await credentials.adopt(NOWHERE, 'the token of the home')).toBe(false)
    expect(await credentials.identify(NOWHERE)).toBeUndefined()
    await expect(credentials.adopt('secret', 'x')).rejects.toMatchObject({ code: 'VALUE_INVALID' })
  })
})
