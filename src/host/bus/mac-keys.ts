import type { MacKey, MacKeys } from '../../bus/codec/mac.ts'
import type { Context } from '../../core/context.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { keyPath, makeKey, readKey } from '../credentials/secret-key.ts'

/** Derives a key that is used for nothing else. */
const PURPOSE = 'postern bus entry v1'

/** The key for MACs of bus entries, derived from the key file of a folder. A key that was found is kept. */
export function createMacKeys(folder: string | undefined, note: Context['note']): MacKeys {
  let known: MacKey | undefined
  let isNoted = false
  const load = (read: (path: string) => Buffer | undefined): MacKey | undefined => {
    try {
      const secret = known ? undefined : read(keyPath(folder))
      if (secret) known = deriveKey(secret)
    } catch (error) {
      // The entry matters more than its MAC.
      if (!isNoted) note('bus.key-unusable', { error: reasonOf(error) })
      isNoted = true
    }
    return known
  }
  return {
    find: () => load(readKey),
    findOrMake: () => load((path) => readKey(path) ?? makeKey(path)),
  }
}

function deriveKey(secret: Buffer): MacKey {
  // Loaded here, because most commands that touch a bus need no MAC.
  const { createHmac, timingSafeEqual } = process.getBuiltinModule('node:crypto')
  const key = createHmac('sha256', secret).update(PURPOSE).digest()
  const digest = (data: Uint8Array) => createHmac('sha256', key).update(data).digest()
  return {
    macOf: (data) => digest(data).toString('hex'),
    isMacOf(data, mac) {
      const given = Buffer.from(mac, 'hex')
      const right = digest(data)
      return given.length === right.length && timingSafeEqual(given, right)
    },
  }
}
