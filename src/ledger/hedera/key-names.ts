import { PosternError } from '../../model/errors.ts'
import { isLedgerId } from '../../model/ledger/topic.ts'
import { accountsOfKey, formatAccountKey } from '../../model/ledger/topic-key.ts'
import { Key, type WrittenKey } from '../protocol/basics.ts'
import { ProtocolError } from '../protocol/bytes.ts'
import type { Faults } from './faults.ts'
import { createSigner, type Signer } from './signers.ts'

/** Keys as the contract names them, and those of this deployment. */
export interface Keyring {
  /** Whoever signs for an account of this deployment. Throws LEDGER_KEY_INVALID where its key is not here. */
  signer(account: string): Promise<Signer>
  /** `account:0.0.x`, `account:0.0.x|0.0.y`, `key:<hex>` or null, as HAPI writes it. */
  resolve(name: string | null): Promise<WrittenKey | undefined>
  /** The other way round: by its account where the key is one of this deployment. */
  name(key: Uint8Array | null): Promise<string | null>
}

export interface KeyringOptions {
  readonly keys: Readonly<Record<string, () => string>>
  readonly faults: Faults
  /** The key of an account that is not of this deployment. */
  readonly keyOf: (account: string) => Promise<Uint8Array | undefined>
}

const KEY = 'key:'

export function createKeyring({ keys, faults, keyOf }: KeyringOptions): Keyring {
  const signers = new Map<string, Promise<Signer>>()

  function signer(account: string): Promise<Signer> {
    const read = Object.hasOwn(keys, account) ? keys[account] : undefined
    if (!read) {
      const reason = `there is none for the account ${account}`
      return Promise.reject(new PosternError('LEDGER_KEY_INVALID', { reason }))
    }
    const known = signers.get(account) ?? Promise.resolve().then(() => createSigner(read()))
    signers.set(account, known)
    // A file that was mended meanwhile is read anew.
    known.catch(() => signers.delete(account))
    return known
  }

  async function keyOfAccount(account: string): Promise<WrittenKey> {
    if (Object.hasOwn(keys, account)) return (await signer(account)).publicKey
    const found = await keyOf(account)
    if (!found) throw faults.refused(`INVALID_ACCOUNT_ID (${account})`)
    return decodeKey(found, () => faults.unreachable(`the mirror gives ${account} a key that is none`))
  }

  return {
    signer,
    async resolve(name) {
      if (name === null) return undefined
      const accounts = accountsOfKey(name)
      if (!accounts) return parseKeyName(name, faults)
      if (!accounts.every(isLedgerId)) throw notAKey(faults)
      const [key, ...others] = await Promise.all(accounts.map(keyOfAccount))
      // Any one of them is enough.
      return others.length === 0 ? key : { thresholdKey: { threshold: 1, keys: { keys: [key, ...others].map(whole) } } }
    },
    async name(key) {
      if (!key || key.length === 0) return null
      const hex = Buffer.from(key).toString('hex')
      for (const account of Object.keys(keys)) {
        const own = await signer(account).catch(() => undefined)
        if (own && Buffer.from(Key.encode(own.publicKey)).toString('hex') === hex) return formatAccountKey(account)
      }
      return `${KEY}${hex}`
    },
  }
}

const NO_KEY: Key = { ed25519: undefined, secp256k1: undefined, thresholdKey: undefined, keyList: undefined }

function whole(key: WrittenKey | undefined): Key {
  return { ...NO_KEY, ...key }
}

function parseKeyName(name: string, faults: Faults): WrittenKey {
  const hex = name.startsWith(KEY) ? name.slice(KEY.length) : ''
  if (!/^(?:[0-9a-f]{2})+$/.test(hex)) throw notAKey(faults)
  return decodeKey(Buffer.from(hex, 'hex'), () => notAKey(faults))
}

function decodeKey(bytes: Uint8Array, otherwise: () => PosternError): Key {
  try {
    return Key.decode(bytes)
  } catch (error) {
    throw error instanceof ProtocolError ? otherwise() : error
  }
}

/** As a node says it. */
function notAKey(faults: Faults): PosternError {
  return faults.refused('BAD_ENCODING')
}
