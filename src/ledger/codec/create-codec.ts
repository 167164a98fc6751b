import { sha256 } from '../../kit/node/crypto.ts'
import { runningHash } from '../../kit/node/running-hash.ts'
import type { LedgerCodec } from '../codec.ts'
import { verifyTopic } from '../verify.ts'
import { decodeFile, encodeFile } from './hcs1.ts'
import { createUaid } from './uaid.ts'

export function createLedgerCodec(): LedgerCodec {
  return { sha256, encodeFile, decodeFile, uaid: createUaid, verifyTopic, runningHash }
}
