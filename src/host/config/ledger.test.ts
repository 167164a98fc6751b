import { describe, expect, it } from 'vitest'
import { configWith } from '../../../test/helpers/config-with.ts'
import { SEED_ROUTING } from '../../model/ledger/settings.ts'
import { LEDGER } from './ledger.ts'

const HEDERA = { network: 'testnet', operator: '0.0.1005', keyFile: 'operator.key' }
const OWN = { ...HEDERA, network: 'ours', nodes: { '127.0.0.1:50211': '0.0.3' }, mirror: 'http://127.0.0.1:5551' }

function read(ledger: Readonly<Record<string, unknown>>) {
  return configWith({ ledger }).get(LEDGER)
}

describe('the settings of the ledger', () => {
  it('default to the local ledger, which is in the store', () => {
    expect(read({})).toEqual({
      network: 'local',
      publish: { default: 'full', types: {}, agents: {} },
      budgetPerDay: null,
      routing: SEED_ROUTING,
      accept: 'ask',
      accounts: {},
      hedera: undefined,
    })
  })

  it('fill in the addresses of Hedera’s own networks', () => {
    for (const network of ['mainnet', 'testnet', 'previewnet']) {
      const { hedera } = read({ ...HEDERA, network })
      expect(hedera).toMatchObject({ network, isPublic: true, operator: '0.0.1005' })
      expect(hedera?.mirror).toBe(`https://${network}.mirrornode.hedera.com`)
      expect(hedera?.mirrorGrpc).toBe(`${network}.mirrornode.hedera.com:443`)
      expect(Object.keys(hedera?.nodes ?? {}).length).toBeGreaterThan(4)
    }
  })

  it('default to hashes and five dollars a day on a public network', () => {
    expect(read(HEDERA)).toMatchObject({ publish: { default: 'hash' }, budgetPerDay: 5_000_000_000 })
    expect(read({ ...HEDERA, publish: { default: 'full' }, budgetPerDay: null })).toMatchObject({
      publish: { default: 'full', types: {}, agents: {} },
      budgetPerDay: null,
    })
  })

  it('treat a network on this machine as not public', () => {
    expect(read(OWN)).toMatchObject({ network: 'ours', publish: { default: 'full' }, budgetPerDay: null })
    expect(read(OWN).hedera).toMatchObject({ isPublic: false, mirrorGrpc: null, nodes: OWN.nodes })
    expect(read({ ...OWN, mirror: 'https://mirror.example' }).hedera?.isPublic).toBe(true)
    expect(read({ ...OWN, nodes: { 'node.example:50211': '0.0.3' } }).hedera?.isPublic).toBe(true)
    expect(read({ ...OWN, nodes: { '127.0.0.1.example:50211': '0.0.3' } }).hedera?.isPublic).toBe(true)
  })

  it('are parsed from a file', () => {
    const written = {
      ...OWN,
      mirrorGrpc: '[::1]:5600',
      publish: { types: { 'task.note': 'off' }, agents: { quinn: 'hash' } },
      budgetPerDay: 1.5,
      routing: { 'task.blocked': { to: ['quinn'], priority: 2 }, 'task.reviewed': { to: [], priority: 5 } },
      accept: ['0.0.7'],
      accounts: { quinn: { id: '0.0.77', keyFile: '/srv/quinn.key' } },
    }
    const settings = read(written)
    expect(settings).toMatchObject({
      publish: { default: 'full', types: { 'task.note': 'off' }, agents: { quinn: 'hash' } },
      budgetPerDay: 1_500_000_000,
      accept: ['0.0.7'],
      accounts: { quinn: '0.0.77' },
    })
    expect(settings.routing).toEqual({
      ...SEED_ROUTING,
      'task.blocked': { to: ['quinn'], priority: 2 },
      'task.reviewed': { to: [], priority: 5 },
    })
    expect(Object.keys(settings.hedera?.keys ?? {}).sort()).toEqual(['0.0.1005', '0.0.77'])
  })

  it('resolve a key file from the file that names it, and read it only when it is needed', () => {
    const { hedera } = read(OWN)
    expect(() => hedera?.keys['0.0.1005']?.()).toThrow(/\/home\/anna\/\.postern\/operator\.key is not there/)
  })

  it.each([
    ['an unknown one', { topic: 'x' }, /"ledger.topic" is not a setting/],
    ['a key that is written out', { ...HEDERA, key: '302e' }, /"ledger.key" is not a setting/],
    ['no network', { network: 5 }, /"ledger.network"/],
    ['a network with blanks', { network: 'my net' }, /"ledger.network"/],
    ['no operator', { ...HEDERA, operator: undefined }, /"ledger.operator"/],
    ['an operator that is none', { ...HEDERA, operator: 'anna' }, /"ledger.operator"/],
    ['no key', { ...HEDERA, keyFile: undefined }, /"ledger.keyFile"/],
    ['no nodes', { ...OWN, nodes: undefined }, /"ledger.nodes" names no node/],
    ['an empty list of nodes', { ...HEDERA, nodes: {} }, /"ledger.nodes" names no node/],
    ['a node without a port', { ...OWN, nodes: { '127.0.0.1': '0.0.3' } }, /"ledger.nodes" has the address/],
    ['a port that is none', { ...OWN, nodes: { '127.0.0.1:99999': '0.0.3' } }, /"ledger.nodes"/],
    ['a node without an account', { ...OWN, nodes: { '127.0.0.1:50211': 3 } }, /"ledger.nodes" has no account/],
    ['nodes that are a list', { ...OWN, nodes: [] }, /"ledger.nodes" is not an object/],
    ['no mirror', { ...OWN, mirror: undefined }, /"ledger.mirror"/],
    ['a mirror that is none', { ...OWN, mirror: 'ftp://mirror' }, /"ledger.mirror"/],
    ['a stream that is none', { ...OWN, mirrorGrpc: 'http://mirror' }, /"ledger.mirrorGrpc"/],
    ['an unknown mode', { publish: { default: 'some' } }, /"ledger.publish.default" is none of full, hash, off/],
    ['an unknown mode of a type', { publish: { types: { x: 1 } } }, /"ledger.publish.types.x"/],
    ['an unknown part', { publish: { mode: 'full' } }, /"ledger.publish.mode" is not a setting/],
    ['modes that are none', { publish: { agents: 'all' } }, /"ledger.publish.agents" is not an object/],
    ['a negative budget', { budgetPerDay: -1 }, /"ledger.budgetPerDay"/],
    ['a budget in words', { budgetPerDay: '1' }, /"ledger.budgetPerDay"/],
    ['a budget without end', { budgetPerDay: Number.NaN }, /"ledger.budgetPerDay"/],
    ['an event that is none', { routing: { blocked: { to: [], priority: 1 } } }, /"ledger.routing.blocked"/],
    ['a route to nobody', { routing: { 'a.b': { priority: 1 } } }, /"ledger.routing.a.b.to"/],
    ['a route to a number', { routing: { 'a.b': { to: [5], priority: 1 } } }, /"ledger.routing.a.b.to"/],
    ['a priority of ours', { routing: { 'a.b': { to: [], priority: 0 } } }, /"ledger.routing.a.b.priority"/],
    ['a route with more', { routing: { 'a.b': { to: [], priority: 1, cc: [] } } }, /"ledger.routing.a.b.cc"/],
    ['a route that is none', { routing: { 'a.b': [] } }, /"ledger.routing.a.b" is not an object/],
    ['a choice that is none', { accept: 'none' }, /"ledger.accept"/],
    ['accounts that are none', { accept: ['quinn'] }, /"ledger.accept"/],
    ['an account of nobody', { accounts: { 'not an agent': {} } }, /"ledger.accounts.not an agent" names no agent/],
    ['an account without an id', { accounts: { quinn: { keyFile: 'x' } } }, /"ledger.accounts.quinn" has no "id"/],
    ['an account without a key', { accounts: { quinn: { id: '0.0.7' } } }, /has no "keyFile"/],
    ['a key within', { accounts: { quinn: { id: '0.0.7', keyFile: 'x', key: 'y' } } }, /"ledger.accounts.quinn.key"/],
  ])('are refused as %s', (_, ledger, reason) => {
    const given = Object.fromEntries(Object.entries(ledger).filter(([, value]) => value !== undefined))
    expect(() => read(given)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringMatching(reason) }),
    )
  })
})
