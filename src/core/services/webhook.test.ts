import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { signAs } from '../../../test/helpers/webhook.ts'
import { createSecrets } from '../../host/credentials/secrets.ts'
import { isRecent, isSigned, signatureOf } from './webhook.ts'

/** The vector of the reference libraries: https://github.com/standard-webhooks/standard-webhooks. */
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const SIGNED = {
  webhookId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: '1614265330',
  body: '{"test": 2432232314}',
} as const
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
const OTHER = 'Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc='

const secrets = () => createSecrets(temporaryFolder())
const check = (signature: string, more: Partial<typeof SIGNED> = {}, secret = SECRET) =>
  isSigned(secrets(), secret, { ...SIGNED, ...more, signature })

describe('signatures of Standard Webhooks', () => {
  it('are those of the published vector', () => {
    expect(signatureOf(secrets(), SECRET, SIGNED)).toBe(SIGNATURE)
    expect(check(SIGNATURE)).toBe(true)
  })

  it('may be several, of which one has to be right; versions that are not known count for nothing', () => {
    expect(check(`v1,${OTHER} v2,${OTHER} ${SIGNATURE} v1,${OTHER}`)).toBe(true)
    expect(check(`v1a,${OTHER} ${SIGNATURE}`)).toBe(true)
    for (const version of ['v1a', 'v2', 'V1', '']) expect(check(SIGNATURE.replace('v1', version))).toBe(false)
  })

  it('are looked at as far as the eighth, so that nobody is kept busy with thousands', () => {
    const others = (count: number) => `v1,${OTHER} `.repeat(count)
    expect(check(`${others(7)}${SIGNATURE}`)).toBe(true)
    expect(check(`${others(8)}${SIGNATURE}`)).toBe(false)
  })

  it('are wrong where anything that is signed differs, or they are not whole', () => {
    expect(check(SIGNATURE, { body: '{"test": 2432232315}' as never })).toBe(false)
    expect(check(SIGNATURE, { webhookId: 'msg_other' as never })).toBe(false)
    expect(check(SIGNATURE, { timestamp: '1614265331' as never })).toBe(false)
    expect(check(SIGNATURE, {}, 'whsec_AAAA')).toBe(false)
    for (const partial of ['', ' ', 'v1', 'v1,', SIGNATURE.slice(0, 8), `v1,${OTHER}`, 'v1,dawfeoifkpqwoekfpqoekf']) {
      expect(check(partial)).toBe(false)
    }
  })

  it('hold for the bytes of the body, whatever is in it', () => {
    const proof = signAs(SECRET, { body: '{"name":"Zoë 🚪\\n","n":1e3 }', webhookId: 'evt.1', at: 1_614_265_330_000 })
    expect(isSigned(secrets(), SECRET, proof)).toBe(true)
    expect(isSigned(secrets(), SECRET, { ...proof, body: proof.body.replace(' }', '}') })).toBe(false)
  })

  it('are good for five minutes before and after their time', () => {
    const now = 1_614_265_330_000
    for (const off of [0, 300_000, -300_000]) expect(isRecent(SIGNED.timestamp, now + off)).toBe(true)
    for (const off of [300_001, -300_001, 86_400_000]) expect(isRecent(SIGNED.timestamp, now + off)).toBe(false)
    for (const text of ['hello', '', '-1', '1614265330.0', '1614265330abc', '1e9', '0x10', '9'.repeat(30)]) {
      expect(isRecent(text, now)).toBe(false)
    }
  })
})
