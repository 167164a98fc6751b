import { createPublicKey, verify } from 'node:crypto'
import type { SignatureMap } from '../protocol/basics.ts'
import { type Leaf, nameOf } from './keys.ts'

/** What DER writes before the 32 bytes of an Ed25519 key. */
const ED25519_HEAD = Buffer.from('302a300506032b6570032100', 'hex')

/** Which of these keys have signed the bytes. A signature names its key by as many of its first bytes as it likes. */
export async function signersOf(
  leaves: readonly Leaf[],
  { body, signatures }: { readonly body: Uint8Array; readonly signatures: SignatureMap },
): Promise<ReadonlySet<string>> {
  const signers = new Set<string>()
  for (const leaf of leaves) {
    const signature = signatureOf(leaf, signatures)
    if (signature && !signers.has(nameOf(leaf)) && (await isGood(leaf, body, signature))) signers.add(nameOf(leaf))
  }
  return signers
}

/** The one with the longest prefix, as nodes choose it. */
function signatureOf({ kind, bytes }: Leaf, { pairs }: SignatureMap): Uint8Array | undefined {
  return pairs
    .filter(({ keyPrefix }) => Buffer.from(bytes.subarray(0, keyPrefix.length)).equals(keyPrefix))
    .toSorted((one, other) => other.keyPrefix.length - one.keyPrefix.length)
    .map((pair) => pair[kind])
    .find((signature) => signature !== undefined)
}

async function isGood({ kind, bytes }: Leaf, body: Uint8Array, signature: Uint8Array): Promise<boolean> {
  if (kind === 'secp256k1') {
    // Few use such keys, and what knows them is a package of its own. That it is missing is nobody's bad signature.
    const { isSignedBySecp256k1 } = await import('../hedera/secp256k1.ts')
    return isSignedBySecp256k1({ publicKey: bytes, body, signature })
  }
  try {
    return verify(null, body, ed25519Key(bytes), signature)
  } catch {
    return false
  }
}

function ed25519Key(bytes: Uint8Array) {
  return createPublicKey({ key: Buffer.concat([ED25519_HEAD, bytes]), format: 'der', type: 'spki' })
}
