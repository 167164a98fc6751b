import { expect, it } from 'vitest'
import { createFaults } from './faults.ts'
import { createKeyring } from './key-names.ts'

const OURS = '302e020100300506032b657004220420'.padEnd(96, '07')

function keyring(theirs: string) {
  const keyOf = async () => new Uint8Array(Buffer.from(theirs, 'hex'))
  return createKeyring({ keys: { '0.0.2': () => OURS }, faults: createFaults('test'), keyOf })
}

it('lets any one of several accounts sign, ours and theirs', async () => {
  const theirs = { secp256k1: new Uint8Array(33).fill(2) }
  const key = await keyring(`3a21${'02'.repeat(33)}`).resolve('account:0.0.2|0.0.9')
  expect(key?.thresholdKey).toMatchObject({ threshold: 1, keys: { keys: [{ secp256k1: undefined }, theirs] } })
})

it('takes what a mirror says of a key for no answer where it is none', async () => {
  const resolved = keyring('12ff').resolve('account:0.0.2|0.0.9')
  await expect(resolved).rejects.toMatchObject({ code: 'LEDGER_UNREACHABLE' })
})

it.each([
  'key:',
  'key:12ff',
  'key:xy',
  'account:',
  'account:0.0.2|',
  'nobody',
])('refuses the name "%s"', async (name) => {
  await expect(keyring('').resolve(name)).rejects.toMatchObject({ code: 'LEDGER_REFUSED' })
})
