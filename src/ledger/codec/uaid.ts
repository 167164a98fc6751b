import { createHash } from 'node:crypto'
import { formatOperatorId } from '../../model/ledger/operator.ts'
import type { UaidParams } from '../codec.ts'

const PROTOCOL = 'hcs-10'
/** No registry has given these names. */
const REGISTRY = 'self'

/** What HCS-14 hashes. */
export interface CanonicalAgent {
  readonly registry: string
  readonly name: string
  readonly version: string
  readonly protocol: string
  readonly nativeId: string
  readonly skills: readonly number[]
}

export function createUaid({ network, name, version, account, inboundTopicId, capabilities }: UaidParams): string {
  const nativeId = `hedera:${network}:${account}`
  const id = createAid({ registry: REGISTRY, name, version, protocol: PROTOCOL, nativeId, skills: capabilities })
  const uid = formatOperatorId({ inboundTopicId, account })
  return `uaid:aid:${id};uid=${uid};registry=${REGISTRY};proto=${PROTOCOL};nativeId=${nativeId}`
}

/** The text of the standard sorts by name, but its own example and its reference put the skills first, and so do all who compare. */
export function createAid({ registry, name, version, protocol, nativeId, skills }: CanonicalAgent): string {
  const canonical = JSON.stringify({
    skills: [...skills].sort((one, other) => one - other),
    name: name.trim(),
    nativeId: nativeId.trim(),
    protocol: protocol.trim().toLowerCase(),
    registry: registry.trim().toLowerCase(),
    version: version.trim(),
  })
  return toBase58(createHash('sha384').update(canonical).digest())
}

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** As Bitcoin has it: leading zero bytes are kept as ones. */
export function toBase58(bytes: Uint8Array): string {
  let text = ''
  let rest = BigInt(`0x00${Buffer.from(bytes).toString('hex')}`)
  for (; rest > 0n; rest /= 58n) text = ALPHABET.charAt(Number(rest % 58n)) + text
  const zeros = bytes.findIndex((byte) => byte !== 0)
  return '1'.repeat(zeros === -1 ? bytes.length : zeros) + text
}
