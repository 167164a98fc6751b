import { accountsOfKey } from '../../model/ledger/topic-key.ts'
import type { Shelves } from '../../store/store.ts'
import { Key } from '../protocol/basics.ts'

/** A key that no signature can satisfy: how the protocol writes that nobody may. */
export const NOBODY: Key = { ed25519: undefined, secp256k1: undefined, thresholdKey: undefined, keyList: { keys: [] } }

const KEPT = 'key:'
const ED25519_BYTES = 32
const SECP256K1_BYTES = 33
/** A transaction has no room for many more. */
const MAX_LEAVES = 100

/** As a topic keeps it. */
export function keepKey(key: Key | undefined): string | null {
  return key ? KEPT + Buffer.from(Key.encode(key)).toString('hex') : null
}

export function readKey(hex: string): Key {
  return hex === '' ? NOBODY : Key.decode(Buffer.from(hex, 'hex'))
}

/**
 * Who must have signed, of what a topic keeps: undefined where nobody must. Of several accounts any one is enough. What
 * an agent of this deployment owns needs no key, so nobody outside can sign for it, unless its account has one.
 */
export async function keyOf(shelves: Pick<Shelves, 'ledger'>, kept: string | null): Promise<Key | undefined> {
  if (kept === null) return undefined
  const accounts = accountsOfKey(kept)
  if (!accounts) return readKey(kept.slice(KEPT.length))
  const keys = await Promise.all(accounts.map((id) => keyOfAccount(shelves, id)))
  return keys.length === 1 ? keys[0] : { ...NOBODY, keyList: undefined, thresholdKey: { threshold: 1, keys: { keys } } }
}

async function keyOfAccount(shelves: Pick<Shelves, 'ledger'>, id: string): Promise<Key> {
  const account = await shelves.ledger.getAccount({ id })
  return readKey(account?.key ?? '')
}

/** An empty list is how an update takes a key away. */
export function isEmptyList(key: Key): boolean {
  return key.keyList !== undefined && key.keyList.keys.length === 0
}

/** True where enough signatures can ever be had, of the kinds that are understood here. */
export function isUsable(key: Key): boolean {
  return leavesOf(key).length <= MAX_LEAVES && isWhole(key)
}

function isWhole(key: Key): boolean {
  if (key.ed25519) return key.ed25519.length === ED25519_BYTES
  if (key.secp256k1) return key.secp256k1.length === SECP256K1_BYTES
  const keys = listOf(key)
  const isEnough = !key.thresholdKey || (key.thresholdKey.threshold >= 1 && key.thresholdKey.threshold <= keys.length)
  return keys.length > 0 && isEnough && keys.every(isWhole)
}

function listOf({ keyList, thresholdKey }: Key): readonly Key[] {
  return keyList?.keys ?? thresholdKey?.keys?.keys ?? []
}

/** The keys at the ends of all lists, that single people hold. */
export function leavesOf(key: Key | undefined): Leaf[] {
  if (!key) return []
  if (key.ed25519) return [{ kind: 'ed25519', bytes: key.ed25519 }]
  if (key.secp256k1) return [{ kind: 'secp256k1', bytes: key.secp256k1 }]
  return listOf(key).flatMap(leavesOf)
}

export interface Leaf {
  readonly kind: 'ed25519' | 'secp256k1'
  readonly bytes: Uint8Array
}

export function nameOf({ kind, bytes }: Leaf): string {
  return `${kind}:${Buffer.from(bytes).toString('hex')}`
}

/** Whether those who have signed are enough for a key. */
export function isSignedBy(key: Key, signers: ReadonlySet<string>): boolean {
  const [leaf] = key.ed25519 || key.secp256k1 ? leavesOf(key) : []
  if (leaf) return signers.has(nameOf(leaf))
  const keys = listOf(key)
  const needed = key.thresholdKey ? Math.max(1, key.thresholdKey.threshold) : Math.max(1, keys.length)
  return keys.filter((one) => isSignedBy(one, signers)).length >= needed
}
