import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { PosternError } from '../../model/errors.ts'
import type { WrittenKey } from '../protocol/basics.ts'
import { loadSecp256k1 } from './secp256k1.ts'

/** Whoever holds a private key. The key itself never leaves it. */
export interface Signer {
  /** As HAPI writes it. */
  readonly publicKey: WrittenKey
  sign(bytes: Uint8Array): WrittenSignature
}

export interface WrittenSignature {
  readonly keyPrefix: Uint8Array
  readonly ed25519?: Uint8Array
  readonly secp256k1?: Uint8Array
}

/** What comes before the 32 bytes of a key in DER, as Hedera's tools write it. */
const ED25519_DER = '302e020100300506032b657004220420'
const SECP256K1_DER = '3030020100300706052b8104000a04220420'
const RAW = /^[0-9a-f]{64}$/
const WITH_PUBLIC = /^[0-9a-f]{128}$/

type ParsedKey =
  | { readonly kind: 'ed25519'; readonly key: KeyObject }
  | { readonly kind: 'secp256k1'; readonly secret: Uint8Array }

/**
 * Reads a private key: DER in hex, PEM, or 32 bytes in hex, which are Ed25519 unless "0x" stands before them, as wallets
 * write ECDSA. Throws LEDGER_KEY_INVALID, which never says what was read.
 */
export async function createSigner(written: string): Promise<Signer> {
  const parsed = parseKey(written.trim())
  return parsed.kind === 'ed25519' ? ed25519Signer(parsed.key) : await secp256k1Signer(parsed.secret)
}

function parseKey(text: string): ParsedKey {
  if (text === '') throw invalid('the file is empty')
  if (text.startsWith('-----BEGIN')) return fromDer({ key: text, format: 'pem' })
  const hex = text.toLowerCase().replace(/^0x/, '')
  if (!/^(?:[0-9a-f]{2})+$/.test(hex)) throw invalid('it is neither PEM nor hex')
  if (RAW.test(hex)) return text.toLowerCase().startsWith('0x') ? secp256k1(hex) : ed25519(hex)
  if (WITH_PUBLIC.test(hex)) return ed25519(hex.slice(0, 64))
  if (hex.startsWith(SECP256K1_DER) && RAW.test(hex.slice(SECP256K1_DER.length))) {
    return secp256k1(hex.slice(SECP256K1_DER.length))
  }
  return fromDer({ key: Buffer.from(hex, 'hex'), format: 'der', type: 'pkcs8' })
}

function ed25519(hex: string): ParsedKey {
  return fromDer({ key: Buffer.from(ED25519_DER + hex, 'hex'), format: 'der', type: 'pkcs8' })
}

function secp256k1(hex: string): ParsedKey {
  return { kind: 'secp256k1', secret: Buffer.from(hex, 'hex') }
}

function fromDer(input: Parameters<typeof createPrivateKey>[0]): ParsedKey {
  const key = readDer(input)
  if (key.asymmetricKeyType === 'ed25519') return { kind: 'ed25519', key }
  if (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'secp256k1') {
    return secp256k1(Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url').toString('hex'))
  }
  throw invalid('it is of another kind')
}

/** What Node says of a key that it cannot read is dropped: nobody knows what it quotes. */
function readDer(input: Parameters<typeof createPrivateKey>[0]): KeyObject {
  try {
    return createPrivateKey(input)
  } catch {
    throw invalid('it cannot be read')
  }
}

function ed25519Signer(key: KeyObject): Signer {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
  const publicKey = Buffer.from(x, 'base64url')
  return {
    publicKey: { ed25519: publicKey },
    sign: (bytes) => ({ keyPrefix: publicKey, ed25519: sign(null, bytes, key) }),
  }
}

async function secp256k1Signer(secret: Uint8Array): Promise<Signer> {
  const { curve, keccak } = await loadSecp256k1()
  if (!curve.utils.isValidSecretKey(secret)) throw invalid('its number is out of bounds')
  const publicKey = curve.getPublicKey(secret, true)
  return {
    publicKey: { secp256k1: publicKey },
    sign: (bytes) => ({
      keyPrefix: publicKey,
      secp256k1: curve.sign(keccak(bytes), secret, { prehash: false }),
    }),
  }
}

function invalid(reason: string): PosternError {
  return new PosternError('LEDGER_KEY_INVALID', { reason })
}
