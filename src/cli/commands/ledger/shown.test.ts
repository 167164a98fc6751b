import { describe, expect, it } from 'vitest'
import { describeLabel, describePlace, dollars, showConsensusTime, withLabel } from './shown.ts'

const LOCAL = { kind: 'local', network: 'local', public_consensus: false } as const

describe('what is shown of a ledger', () => {
  it('says which one it is, and whether others agree on it', () => {
    expect(describeLabel(LOCAL)).toBe('local ledger: no public consensus')
    expect(describeLabel({ kind: 'hedera', network: 'testnet', public_consensus: true })).toBe(
      'ledger testnet: public consensus',
    )
    expect(describeLabel({ kind: 'hedera', network: 'loop', public_consensus: false })).toBe(
      'ledger loop: no public consensus',
    )
  })

  it('is harmless to a terminal, line by line', () => {
    expect(withLabel(['a\nb\u001b[2J'], LOCAL)).toMatch(/^[^\n\u001b]+\n\(local ledger: no public consensus\)$/)
  })

  it('says where an entry stands, or that it does not yet', () => {
    expect(describePlace(null, null, null)).toBe('not published')
    expect(describePlace('0.0.7', 3, null)).toBe('number 3 on 0.0.7')
    expect(describePlace('0.0.7', null, 'par_1')).toBe('on its way to 0.0.7 as par_1')
    // The topic of a new work item is itself on its way.
    expect(describePlace(null, null, 'par_1')).toBe('on its way as par_1')
  })

  it('shows prices to two digits that count', () => {
    expect([0, 0.000_171, 0.0345, 1.5].map(dollars)).toEqual(['$0.00', '$0.00017', '$0.035', '$1.50'])
  })

  it('shows times of consensus to the microsecond', () => {
    expect(showConsensusTime('1713898880.739044003')).toBe('2024-04-23T19:01:20.739044Z')
    expect(showConsensusTime('nonsense')).toBe('nonsense')
  })
})
