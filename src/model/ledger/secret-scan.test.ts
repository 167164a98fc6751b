import { describe, expect, it } from 'vitest'
import { findSecret } from './secret-scan.ts'

/** Put together here, so that no scanner takes this file for a leak. */
const LETTERS = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eFaB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF'
const some = (length: number) => LETTERS.slice(0, length)
const HEX = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'

const SECRETS: readonly (readonly [string, string])[] = [
  ['a private key', `-----BEGIN ${'PRIVATE KEY'}-----\nMC4CAQ`],
  ['a private key', `-----BEGIN RSA ${'PRIVATE KEY'}-----`],
  ['a private key', `-----BEGIN PGP ${'PRIVATE KEY'} BLOCK-----`],
  ['a private key in DER', `key 302e020100300506032b657004220420${HEX}`],
  ['a private key in DER', `3030020100300706052b8104000a04220420${HEX}`.toUpperCase()],
  ['a private key in DER', `MC4CAQAwBQYDK2VwBCIEI${some(42)}`],
  ['an AWS access key', `use AKIA${'ABCDEFGH23456789'} for it`],
  ['a token of GitHub', `ghp_${some(36)}`],
  ['a token of GitHub', `github_pat_${some(22)}_${some(59)}`],
  ['a token of GitLab', `glpat-${some(20)}`],
  ['a token of Slack', `xoxb-${'123456789012'}-${some(24)}`],
  ['a webhook of Slack', `https://hooks.slack.com/services/T${'12345678'}/B${'12345678'}/${some(24)}`],
  ['an API key of Anthropic', `sk-ant-api03-${some(40)}`],
  ['an API key of OpenAI', `"sk-${some(48)}"`],
  ['an API key of OpenAI', `sk-proj-${some(40)}`],
  ['an API key of Google', `AIza${some(35)}`],
  ['an API key of Stripe', `sk_live_${some(24)}`],
  ['a token of npm', `npm_${some(36)}`],
  ['a token of Hugging Face', `hf_${some(34)}`],
  ['a token or a key of Postern', `pst_${some(43)}`],
  ['a token or a key of Postern', `x-secret-key: sk_${some(43)}`],
  ['a signing secret of a webhook', `whsec_${some(43)}`],
  ['a JSON Web Token', `eyJ${some(20)}.eyJ${some(30)}.${some(43)}`],
  ['a bearer token', `Authorization: Bearer ${some(30)}`],
  ['a user and a password in a header', `{"Authorization": "Basic ${some(24)}"}`],
  ['a password in a URL', 'postgres://app:Tr0ub4dor@db.internal/app'],
  ['a password in a URL', 'redis://:hunter2@127.0.0.1:6379'],
  ['a password or a secret that is named as one', 'DB_PASSWORD=Tr0ub4dor&3'],
  ['a password or a secret that is named as one', '{\\"password\\": \\"Tr0ub4dor3\\"}'],
  ['a password or a secret that is named as one', "client_secret: 'q7Jx93kd-2'"],
  ['a password or a secret that is named as one', `private key: 0x${HEX}`],
  ['a key or a token that is named as one', `api_key = ${some(24)}`],
  ['a key or a token that is named as one', `"accessToken": "${some(24)}"`],
]

const HARMLESS: readonly string[] = [
  '',
  'The password is required; the secret: keep calm. Reset your password: see the manual.',
  'token: PROJ-12',
  'password = getPassword(config)',
  'password: config.db1.password',
  'password=${DB_PASSWORD_1}',
  'secret: <your-secret-1>',
  'password: xxxxxxxxxxxx',
  'password=********',
  'api_key: YOUR_API_KEY_GOES_HERE_1',
  'secret: /run/secrets/db1_password',
  'token: https://example.org/t0ken/abcdef123456',
  'offer token: off_01JABCDEFGHJKMNPQRSTVWXYZ0',
  `sha256 ${HEX}`,
  `token: sha256:${HEX}`,
  '-----BEGIN PUBLIC KEY-----',
  '-----BEGIN CERTIFICATE-----',
  '302a300506032b6570032100',
  'task-ant-abcdefghijklmnopqrstuvwx risk-abcdefghijklmnopqrstuvwxyzabcdefghi',
  'https://user@example.org/path:8080@x',
  'postgres://user:password@localhost/db',
  'see http://127.0.0.1:8080/a and mailto:quinn@example.org',
  'The bearer authenticates-itself-somewhere-else',
  'bearer of bad news',
  '0.0.789101@0.0.123456',
  'uaid:aid:791vW8NebBtqg1oSUJz8MstX8i7guBrMAu4DTFyTwFY21MMHXbUU9YxqQbXgbEbrPj;uid=0.0.1@0.0.2',
  'eyJ is how they begin. eyJa.eyJb.c',
]

describe('the search for secrets', () => {
  it.each(SECRETS)('finds %s (%#)', (what, text) => {
    expect(findSecret(text)).toBe(what)
    expect(findSecret(`${'Some words before it. '.repeat(20)}${text}\nand after it.`)).toBe(what)
  })

  it('finds them in text that was quoted as JSON again', () => {
    for (const [what, text] of SECRETS) {
      expect(findSecret(JSON.stringify({ data: text }))).toBe(what)
      expect(findSecret(JSON.stringify({ data: JSON.stringify({ text: `See:\n${text}` }) }))).toBe(what)
    }
  })

  it.each(HARMLESS)('leaves harmless text alone (%#)', (text) => {
    expect(findSecret(text)).toBeUndefined()
  })

  it('never repeats what it found', () => {
    for (const [, text] of SECRETS) {
      const what = findSecret(text) ?? ''
      expect(LETTERS.includes(what) || text.includes(what)).toBe(false)
    }
  })

  it('takes time in proportion to a hostile text', () => {
    const units = [
      'eyJ',
      'eyJaaaaaaa.',
      'password=',
      'token:\\"',
      'a://',
      'a://b:',
      'bearer ',
      '-----BEGIN A ',
      '302e',
      ' ',
    ]
    // A pattern that goes back over the text at every place would be at it for many minutes.
    for (const unit of units) expect(findSecret(unit.repeat((1024 * 1024) / unit.length))).toBeUndefined()
  })
})
