import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, it } from 'vitest'
import { createSigner } from './signers.ts'

const BODY = Buffer.from('the bytes of a body')
const SECRET = '91132178e72057a1d7528025956fe39b0b847f200ab59b2fdd367017f3087137'
const PUBLIC = '0aa8e21064c61eab86e2a9c164565b4e7a9a4146106e0a6cd03a8c395a110e92'
const ED25519_DER = `302e020100300506032b657004220420${SECRET}`
const SECP256K1_DER = `3030020100300706052b8104000a04220420${SECRET}`

describe('an Ed25519 key', () => {
  it.each([
    ['DER', ED25519_DER],
    ['raw', SECRET],
    ['raw with its public half', SECRET + PUBLIC],
    ['capitals and a new line', `${ED25519_DER.toUpperCase()}\n`],
  ])('signs, written as %s', async (_, written) => {
    const signer = await createSigner(written)
    const { keyPrefix, ed25519 = Buffer.alloc(0) } = signer.sign(BODY)
    const x = Buffer.from(keyPrefix).toString('base64url')
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    expect(verify(null, BODY, key, ed25519)).toBe(true)
    expect(signer.publicKey.ed25519).toEqual(keyPrefix)
  })
})

describe('an ECDSA key', () => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
  it.each([
    ['DER as Hedera writes it', SECP256K1_DER],
    ['raw as wallets write it', `0x${SECRET}`],
    ['DER as others write it', pair.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('hex')],
    ['PEM', pair.privateKey.export({ format: 'pem', type: 'sec1' }).toString()],
  ])('signs the Keccak of what is sent, written as %s', async (_, written) => {
    const signer = await createSigner(written)
    const { keyPrefix, secp256k1: signature = Buffer.alloc(0) } = signer.sign(BODY)
    expect(keyPrefix).toHaveLength(33)
    expect(signature).toHaveLength(64)
    expect(secp256k1.verify(signature, keccak_256(BODY), keyPrefix, { prehash: false })).toBe(true)
    expect(signer.publicKey.secp256k1).toEqual(keyPrefix)
  })
})

describe('what is no key', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey
  it.each([
    ['nothing', ''],
    ['words', 'correct horse battery staple'],
    ['too little hex', 'abcd'],
    ['half of a key', ED25519_DER.slice(0, 80)],
    ['PEM of something else', '-----BEGIN PRIVATE KEY-----\nabcd\n-----END PRIVATE KEY-----'],
    ['a key of another kind', rsa.export({ format: 'pem', type: 'pkcs8' }).toString()],
    ['a number out of bounds', `0x${'ff'.repeat(32)}`],
  ])('is refused, and never quoted: %s', async (_, written) => {
    const error = await createSigner(written).then(
      () => expect.unreachable(),
      (thrown) => thrown,
    )
    expect(error.code).toBe('LEDGER_KEY_INVALID')
    const said = JSON.stringify([error.message, error.details, String(error.cause)])
    if (written !== '') expect(said).not.toContain(written.slice(0, 12))
  })
})
