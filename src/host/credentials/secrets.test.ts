import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { createSecrets } from './secrets.ts'

/** The last characters may stand for bits that nothing reads, so a byte in the middle changes. */
function withAnotherByte(sealed: string): string {
  const at = Math.floor(sealed.length / 2)
  return `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`
}

const keyOf = (home: string) => join(home, 'secret.key')

describe('sealed secrets', () => {
  it('open again in this process and in another, for what they are about', () => {
    const home = join(temporaryFolder(), 'new')
    const sealed = createSecrets(home).seal('whsec_ü', 'svc_1')
    expect(sealed).not.toContain('whsec')
    expect(createSecrets(home).open(sealed, 'svc_1')).toEqual({ secret: 'whsec_ü' })
    expect(createSecrets(home).open(sealed, 'svc_2')).toEqual({ reason: 'it was changed since it was sealed' })
    expect(createSecrets(home).seal('whsec_ü', 'svc_1')).not.toBe(sealed)
  })

  it('are sealed with a key that only its owner can read, made once and left whole', () => {
    const home = temporaryFolder()
    const sealed = [createSecrets(home), createSecrets(home)].map((secrets) => secrets.seal('x', 'y'))
    expect(readdirSync(home)).toEqual(['secret.key'])
    expect(statSync(keyOf(home)).mode & 0o777).toBe(0o600)
    for (const each of sealed) expect(createSecrets(home).open(each, 'y')).toEqual({ secret: 'x' })
  })

  it('say why they cannot be opened', () => {
    const home = temporaryFolder()
    const sealed = createSecrets(home).seal('x', 'y')
    const key = readFileSync(keyOf(home), 'utf8')
    rmSync(keyOf(home))
    expect(createSecrets(home).open(sealed, 'y')).toEqual({ reason: `there is no key file ${keyOf(home)}` })
    createSecrets(home).seal('another', 'y')
    const other = `it was sealed with another key than ${keyOf(home)}`
    expect(createSecrets(home).open(sealed, 'y')).toEqual({ reason: other })
    writeFileSync(keyOf(home), 'junk')
    expect(createSecrets(home).open(sealed, 'y')).toEqual({ reason: expect.stringContaining('does not hold 32 bytes') })
    writeFileSync(keyOf(home), key)
    for (const changed of [withAnotherByte(sealed), sealed.slice(0, 20), 'v1', '', `v2${sealed.slice(2)}`]) {
      expect(createSecrets(home).open(changed, 'y')).toEqual({ reason: expect.any(String) })
    }
    expect(createSecrets(home).open(sealed, 'y')).toEqual({ secret: 'x' })
  })

  it('are not sealed where there is no room for the key, or what is there is none', () => {
    const home = temporaryFolder()
    writeFileSync(keyOf(home), 'junk')
    expect(() => createSecrets(home).seal('x', 'y')).toThrow(expect.objectContaining({ code: 'KEY_UNUSABLE' }))
    expect(readFileSync(keyOf(home), 'utf8')).toBe('junk')
    // A program elsewhere is told the reason, so it names no folder.
    const details = expect.objectContaining({ reason: expect.not.stringContaining(home) })
    expect(() => createSecrets(join(keyOf(home), 'below')).seal('x', 'y')).toThrow(
      expect.objectContaining({ code: 'KEY_UNUSABLE', details }),
    )
  })
})

describe('secrets', () => {
  it('are 32 bytes of chance', () => {
    const secrets = createSecrets(temporaryFolder())
    expect(secrets.random('base64url')).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(Buffer.from(secrets.random('base64'), 'base64')).toHaveLength(32)
    expect(secrets.random('base64')).not.toBe(secrets.random('base64'))
  })

  it('are compared whole, however long they are', () => {
    const { isSame, hash } = createSecrets(temporaryFolder())
    expect(isSame(hash('a'), hash('a'))).toBe(true)
    for (const other of ['', 'a', hash('b'), `${hash('a')} `]) expect(isSame(hash('a'), other)).toBe(false)
    expect(hash('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  })
})
