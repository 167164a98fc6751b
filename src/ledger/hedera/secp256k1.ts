import { reasonOf } from '../../kit/pure/reason-of.ts'
import { PosternError } from '../../model/errors.ts'

const PACKAGES = '@noble/curves @noble/hashes'

/** Only for who has such a key: Node has neither this hash nor a way to sign one. */
export async function loadSecp256k1() {
  try {
    const [{ secp256k1: curve }, { keccak_256: keccak }] = await Promise.all([
      import('@noble/curves/secp256k1.js'),
      import('@noble/hashes/sha3.js'),
    ])
    return { curve, keccak }
  } catch (cause) {
    const [reason = ''] = reasonOf(cause).split('\n')
    throw new PosternError('LEDGER_DRIVER_MISSING', { kind: 'ECDSA', packages: PACKAGES, reason }, { cause })
  }
}

const SIGNATURE_BYTES = 64

/** Of what clients of Hedera send; whether the number in it is the low one of the two is theirs to choose. */
export async function isSignedBySecp256k1(params: {
  readonly publicKey: Uint8Array
  readonly body: Uint8Array
  readonly signature: Uint8Array
}): Promise<boolean> {
  if (params.signature.length !== SIGNATURE_BYTES) return false
  const { curve, keccak } = await loadSecp256k1()
  return curve.verify(params.signature, keccak(params.body), params.publicKey, { prehash: false, lowS: false })
}
