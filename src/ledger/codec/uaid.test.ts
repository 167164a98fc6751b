import { describe, expect, it } from 'vitest'
import { createAid, createUaid, toBase58 } from './uaid.ts'

const SPEC = {
  registry: 'hol',
  name: 'Support Agent',
  version: '1.0.0',
  protocol: 'hcs-10',
  nativeId: 'hedera:testnet:0.0.123456',
  skills: [0, 17],
}
/** What the reference makes of the first vector of HCS-14. */
const AID = '791vW8NebBtqg1oSUJz8MstX8i7guBrMAu4DTFyTwFY21MMHXbUU9YxqQbXgbEbrPj'

describe('the name of an agent in HCS-14', () => {
  it('is that of the reference', () => {
    expect(createAid(SPEC)).toBe(AID)
  })

  it('does not go by case, spaces and the order of skills', () => {
    expect(
      createAid({ ...SPEC, registry: ' HOL', protocol: 'HCS-10 ', name: ' Support Agent ', skills: [17, 0] }),
    ).toBe(AID)
  })

  it('changes with each of its six parts', () => {
    const others = [
      { registry: 'self' },
      { name: 'Other' },
      { version: '2.0.0' },
      { protocol: 'a2a' },
      { nativeId: 'hedera:mainnet:0.0.123456' },
      { skills: [0] },
    ]
    const names = others.map((other) => createAid({ ...SPEC, ...other }))
    expect(new Set([AID, ...names]).size).toBe(7)
  })

  it('says how the agent is reached, in the order of the standard', () => {
    const params = { network: 'testnet', name: 'Quinn', version: '1.0', account: '0.0.5', capabilities: [4] }
    expect(createUaid({ ...params, inboundTopicId: '0.0.6' })).toMatch(
      /^uaid:aid:[1-9A-HJ-NP-Za-km-z]{60,66};uid=0\.0\.6@0\.0\.5;registry=self;proto=hcs-10;nativeId=hedera:testnet:0\.0\.5$/,
    )
  })
})

describe('base58', () => {
  it.each([
    ['', ''],
    ['00', '1'],
    ['0000287fb4cd', '11233QC4'],
    ['48656c6c6f20576f726c6421', '2NEpo7TZRRrLZSi2U'],
  ])('writes %s as %s', (hex, text) => {
    expect(toBase58(Buffer.from(hex, 'hex'))).toBe(text)
  })
})
