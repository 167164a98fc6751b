import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { createSigner } from '../../ledger/hedera/signers.ts'
import { Key } from '../../ledger/protocol/basics.ts'
import { ensureOperatorKey } from './operator-key.ts'

test('makes a private key that only its owner reads, once', () => {
  const home = temporaryFolder()
  const first = ensureOperatorKey(home)
  expect(statSync(first.file).mode & 0o777).toBe(0o600)
  expect(ensureOperatorKey(home)).toEqual(first)
})

test('writes it as clients of Hedera read it', async () => {
  const { file, publicKey } = ensureOperatorKey(temporaryFolder())
  const written = readFileSync(file, 'utf8').trim()
  expect(written).toMatch(/^302e020100300506032b657004220420[0-9a-f]{64}$/)
  const signer = await createSigner(written)
  expect(Buffer.from(Key.encode(signer.publicKey)).toString('hex')).toBe(publicKey)
})

test('refuses a file that is no key, and never says what is in it', () => {
  const home = temporaryFolder()
  const { file } = ensureOperatorKey(home)
  writeFileSync(file, 'not a key')
  expect(() => ensureOperatorKey(home)).toThrow(expect.objectContaining({ code: 'LEDGER_KEY_INVALID' }))
  expect(() => ensureOperatorKey(home)).not.toThrow('not a key')
})
