import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateFolder } from '../../kit/node/folders.ts'
import { createWholeText } from '../../kit/node/whole-file.ts'
import { Key } from '../../ledger/protocol/basics.ts'
import { PosternError } from '../../model/errors.ts'
import { readKeyFile } from './key-file.ts'

export interface OperatorKey {
  /** Where the private one lies, in DER as hex: clients of Hedera read it so. */
  readonly file: string
  /** As HAPI's `Key`, in hex. */
  readonly publicKey: string
}

/** The key of the account that a local ledger begins with; made with the first call. */
export function ensureOperatorKey(home: string): OperatorKey {
  const file = join(home, 'ledger', 'operator.key')
  if (!existsSync(file)) makeKey(file)
  return { file, publicKey: publicKeyOf(readKeyFile(file).trim()) }
}

function makeKey(file: string): void {
  makePrivateFolder(join(file, '..'))
  const { privateKey } = generateKeyPairSync('ed25519')
  const written = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('hex')
  try {
    createWholeText(file, `${written}\n`)
  } catch (error) {
    // Another one has made it meanwhile.
    if (!existsSync(file)) throw error
  }
}

function publicKeyOf(written: string): string {
  try {
    const key = createPrivateKey({ key: Buffer.from(written, 'hex'), format: 'der', type: 'pkcs8' })
    const { x, crv } = createPublicKey(key).export({ format: 'jwk' })
    if (crv !== 'Ed25519' || x === undefined) throw new TypeError('another kind')
    return Buffer.from(Key.encode({ ed25519: Buffer.from(x, 'base64url') })).toString('hex')
  } catch {
    throw new PosternError('LEDGER_KEY_INVALID', { reason: 'the operator key of this home cannot be read' })
  }
}
