import type { Context } from '../../core/context.ts'
import { sha256Soon } from '../../kit/node/sha256-soon.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import type { MessageMacs } from '../../store/message-macs.ts'
import type { SqlValue } from '../../store/sql.ts'
import { keyPath, makeKey, readKey } from './secret-key.ts'

/** Derives a key that is used for nothing else. */
const PURPOSE = 'postern message v1'

/** Hexadecimal digits. The name of a key stands before each of its MACs. */
const NAME_DIGITS = 8
const MAC_DIGITS = 32

interface Key {
  readonly name: string
  readonly secret: string
}

/**
 * MACs of messages, under a key that is derived from the key file of a folder. The first check of a MAC reads the file,
 * and the first push creates it. While it is unusable, messages are stored without a MAC.
 */
export function createMessageMacs(folder: string, note: Context['note'] = () => {}): MessageMacs {
  let known: Key | undefined
  let isNoted = false
  const load = (read: (path: string) => Buffer | undefined): Key | undefined => {
    try {
      const secret = known ? undefined : read(keyPath(folder))
      if (secret) known = deriveKey(secret)
    } catch (error) {
      // The message matters more than its MAC.
      if (!isNoted) note('store.key-unusable', { error: reasonOf(error) })
      isNoted = true
    }
    return known
  }
  return {
    make(values, count) {
      const key = load((path) => readKey(path) ?? makeKey(path))
      return key ? macOf(key, values, count) : null
    },
    check(values, count, mac) {
      if (mac === null) return 'unknown'
      const key = load(readKey)
      if (!key || !mac.startsWith(key.name)) return 'unknown'
      // How long this takes tells nothing to anybody: a MAC that is tried has to be written into the store first.
      return mac === macOf(key, values, count) ? 'right' : 'wrong'
    },
  }
}

function deriveKey(secret: Buffer): Key {
  const digits = sha256Soon(`${PURPOSE}\n${secret.toString('base64')}`)
  return { name: digits.slice(0, NAME_DIGITS), secret: digits.slice(NAME_DIGITS) }
}

/**
 * Half of the SHA-256 of the key and the fields. Nobody can continue a hash of which half is hidden, so this needs no
 * second hash, as an HMAC does: that would make a push of a batch some 5 % slower.
 */
function macOf({ name, secret }: Key, values: readonly SqlValue[], count: number): string {
  return name + sha256Soon(textOf(secret, values, count)).slice(0, MAC_DIGITS)
}

/** The key and the fields as one text. Each field says where it ends, so no other fields have the same text. */
function textOf(secret: string, values: readonly SqlValue[], count: number): string {
  let text = secret
  for (let at = 0; at < count; at++) {
    const field = values[at] ?? null
    if (field === null) text += '~'
    else text += typeof field === 'number' ? `${field};` : `${field.length}:${field}`
  }
  return text
}
