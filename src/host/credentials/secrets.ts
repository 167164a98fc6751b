import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hash,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import type { OpenedSecret, Secrets } from '../../core/context.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { KEY_BYTES, keyPath, makeKey, readKey } from './secret-key.ts'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16
const FORM = 'v1'

/** A part of its own, loaded on use: Node's crypto takes long to load. */
export function createSecrets(folder?: string): Secrets {
  const path = keyPath(folder)
  let key: Buffer | undefined
  const knownKey = () => {
    key ??= readKey(path)
    return key
  }

  return {
    random: (encoding) => randomBytes(KEY_BYTES).toString(encoding),
    // In one call: every request has a token to look for.
    hash: (secret) => hash('sha256', secret),
    // Of equal length whatever is compared, as the comparison needs it.
    isSame: (one, other) => timingSafeEqual(digest(one), digest(other)),
    sign: (secret, text) => createHmac('sha256', Buffer.from(secret, 'base64')).update(text).digest('base64'),

    seal(secret, about) {
      const current = knownKey() ?? makeKey(path)
      key = current
      return seal(current, secret, about)
    },

    open(sealed, about) {
      try {
        const current = knownKey()
        return current ? open(current, sealed, about, path) : { reason: `there is no key file ${path}` }
      } catch (error) {
        return { reason: reasonOf(error) }
      }
    },
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** `v1.<which key>.<iv, tag and what was sealed>`. */
function seal(key: Buffer, secret: string, about: string): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(about))
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return [FORM, nameOf(key), Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')].join('.')
}

function open(key: Buffer, text: string, about: string, path: string): OpenedSecret {
  const [form, name, rest = ''] = text.split('.')
  if (form !== FORM) return { reason: 'it was sealed by another version of Postern' }
  if (name !== nameOf(key)) return { reason: `it was sealed with another key than ${path}` }
  const bytes = Buffer.from(rest, 'base64url')
  const [iv, tag] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)]
  try {
    const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(about))
    decipher.setAuthTag(tag)
    const secret = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()])
    return { secret: secret.toString('utf8') }
  } catch {
    return { reason: 'it was changed since it was sealed' }
  }
}

const NAME_CHARACTERS = 8

/** Tells keys apart and says nothing else about them. */
function nameOf(key: Buffer): string {
  return createHash('sha256').update('postern key').update(key).digest('hex').slice(0, NAME_CHARACTERS)
}
