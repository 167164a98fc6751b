import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { BOOT_ID_FILE, formatQuiet } from '../../model/quiet.ts'
import { createQuietLook } from './quiet-look.ts'

const BOOT = readFileSync(BOOT_ID_FILE, 'latin1').trim()

/** A home in which quinn is quiet, and has an empty spool. */
function makeHome(storeName = 'postern.db') {
  const home = temporaryFolder()
  const [store, spool, quiet] = [join(home, storeName), join(home, 'spool.jsonl'), join(home, 'quiet', 'quinn')]
  mkdirSync(join(home, 'quiet'))
  writeFileSync(store, '')
  writeFileSync(quiet, formatQuiet(BOOT, [spool]) ?? '')
  const { isQuiet, noteHeard } = createQuietLook({ home, store })
  return { home, spool, quiet, look: () => isQuiet('quinn'), isQuiet, noteHeard }
}

describe('a look at the quiet files from within a server', () => {
  it('believes one that was made since the machine was started', () => {
    const { look, isQuiet, quiet } = makeHome()
    expect(look()).toBe(true)
    expect(isQuiet('mindy')).toBe(false)
    rmSync(quiet)
    expect(look()).toBe(false)
  })

  it('believes none of another start, or one that says nothing', () => {
    const { look, quiet } = makeHome()
    for (const text of ['another boot\n', '\n', '']) {
      writeFileSync(quiet, text)
      expect(look(), JSON.stringify(text)).toBe(false)
    }
  })

  it('believes none whose spool has something in it', () => {
    const { look, spool } = makeHome()
    writeFileSync(spool, '')
    expect(look()).toBe(true)
    writeFileSync(spool, '{}\n')
    expect(look()).toBe(false)
  })

  it('believes none that is older than the settings, which may name commands', () => {
    const { home, look, quiet } = makeHome()
    writeFileSync(join(home, 'config.json'), '{}')
    utimesSync(quiet, 1, 1)
    expect(look()).toBe(false)
    utimesSync(join(home, 'config.json'), 0.5, 0.5)
    expect(look()).toBe(true)
  })

  it('believes none while a project is trusted, which may name commands too', () => {
    const { home, look } = makeHome()
    writeFileSync(join(home, 'trusted.json'), '{}')
    expect(look()).toBe(false)
  })

  it('looks for none beside a store that has none', () => {
    expect(makeHome('other.db').look()).toBe(false)
  })

  it('notes that an agent was heard of', () => {
    const { home, noteHeard } = makeHome()
    noteHeard('quinn')
    expect(statSync(join(home, 'live', 'quinn')).isFile()).toBe(true)
  })
})
