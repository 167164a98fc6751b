import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import type { Credentials } from '../../model/network/tokens.ts'
import { ensureFirstToken } from './first-token.ts'

const KNOWN = `pst_${'A'.repeat(43)}`

/** Keeps what it was given; whatever is not refused is good. */
function credentials(refused: readonly string[] = []): Pick<Credentials, 'adopt'> & { readonly adopted: string[] } {
  const adopted: string[] = []
  return {
    adopted,
    async adopt(token) {
      if (refused.includes(token)) return false
      adopted.push(token)
      return true
    },
  }
}

const modeOf = (path: string) => statSync(path).mode & 0o777
const textOf = (path: string) => readFileSync(path, 'utf8').trim()

describe('the token of a home', () => {
  it('is made at the first start, for its owner alone, and found again', async () => {
    const home = join(temporaryFolder(), 'home')
    const kept = credentials()
    const path = await ensureFirstToken(home, kept)
    expect([modeOf(home), modeOf(path)]).toEqual([0o700, 0o600])
    expect(await ensureFirstToken(home, kept)).toBe(path)
    expect(kept.adopted).toEqual([textOf(path), textOf(path)])
  })

  it('is made anew where it was revoked or is none', async () => {
    for (const text of [KNOWN, 'nonsense', '']) {
      const home = temporaryFolder()
      writeFileSync(join(home, 'token'), text, { mode: 0o600 })
      const kept = credentials([KNOWN])
      const path = await ensureFirstToken(home, kept)
      expect(kept.adopted).toEqual([textOf(path)])
      expect(textOf(path)).not.toBe(text)
      expect(textOf(`${path}.old`)).toBe(text)
    }
  })

  it('is not read by others any more where they could', async () => {
    const home = temporaryFolder()
    const path = join(home, 'token')
    writeFileSync(path, KNOWN)
    chmodSync(path, 0o644)
    const kept = credentials()
    await ensureFirstToken(home, kept)
    expect(kept.adopted).toEqual([KNOWN])
    expect(modeOf(path)).toBe(0o600)
  })

  it('is never one that somebody else may have put there', async () => {
    const planted = {
      'that others can write': (path: string) => {
        writeFileSync(path, KNOWN)
        chmodSync(path, 0o666)
      },
      'that is a link': (path: string) => {
        writeFileSync(`${path}.theirs`, KNOWN, { mode: 0o600 })
        symlinkSync(`${path}.theirs`, path)
      },
      'that leads nowhere': (path: string) => symlinkSync('/nowhere/at/all', path),
    }
    for (const [name, plant] of Object.entries(planted)) {
      const home = temporaryFolder()
      plant(join(home, 'token'))
      const kept = credentials()
      const path = await ensureFirstToken(home, kept)
      expect(kept.adopted, name).toEqual([textOf(path)])
      expect(textOf(path), name).not.toBe(KNOWN)
      expect(modeOf(path), name).toBe(0o600)
    }
  })
})
