import { describe, expect, it } from 'vitest'
import { createClock } from '../../../test/helpers/server/clock.ts'
import { type Bearer, createTickets } from './tickets.ts'

const BEARER: Bearer = {
  identity: {
    tokenId: 'tok_1',
    scope: { kind: 'human', id: 'justin' },
    caller: { id: 'justin', kind: 'human', verified: true, via: 'http' },
  },
  token: 'pst_1',
}

describe('a ticket', () => {
  it('is good once', () => {
    const tickets = createTickets(() => 0)
    const { ticket } = tickets.issue(BEARER)
    expect(tickets.redeem(ticket)).toEqual(BEARER)
    expect(tickets.redeem(ticket)).toBeUndefined()
    expect(tickets.redeem('tkt_made-up')).toBeUndefined()
  })

  it('is good for a minute', () => {
    const { now, advance } = createClock()
    const tickets = createTickets(now)
    const { ticket, expiresAt } = tickets.issue(BEARER)
    expect(expiresAt).toBe(60_000)
    advance(60_000)
    expect(tickets.redeem(ticket)).toBeUndefined()
  })

  it('is pushed out by ten thousand others', () => {
    const tickets = createTickets(() => 0)
    const { ticket } = tickets.issue(BEARER)
    const { ticket: second } = tickets.issue(BEARER)
    for (let more = 0; more < 9_999; more++) tickets.issue(BEARER)
    expect(tickets.redeem(ticket)).toBeUndefined()
    expect(tickets.redeem(second)).toEqual(BEARER)
  })
})
