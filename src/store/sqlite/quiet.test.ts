import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withoutRoot } from '../../../test/helpers/needs.ts'
import { BOOT_ID, looksQuiet, NEEDS_BOOT_ID, plantQuiet, quietIn } from '../../../test/helpers/quiet.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { type QuietFolder, quietFolderOf } from './quiet.ts'

function open(home = temporaryFolder()): { home: string; quiet: QuietFolder } {
  const quiet = quietFolderOf(join(home, 'postern.db'))
  if (!quiet) throw new Error('a home has quiet files')
  return { home, quiet }
}

const many = Array.from({ length: 40 }, (_, index) => `agent-${index}`)

describe('making a quiet file', NEEDS_BOOT_ID, () => {
  it('names the boot of the machine, then every spool that must be empty too', () => {
    const { home, quiet } = open()
    expect(quiet.make('quinn', ['/a b/c.jsonl', '/d'])).toBe(true)
    expect(readFileSync(join(home, 'quiet/quinn'), 'utf8')).toBe(`${BOOT_ID}\n/a b/c.jsonl\n/d\n`)
    expect(quietIn(home)).toEqual(['quinn'])
  })

  it('makes a file that is older than a configuration changed since the process began', async () => {
    const home = temporaryFolder()
    const config = join(home, 'config.json')
    writeFileSync(config, '{}')
    // A process may load the store after it has read the configuration.
    const late: typeof import('./quiet.ts') = await import(`${import.meta.dirname}/quiet.ts?late`)
    late.quietFolderOf(join(home, 'postern.db'))?.make('quinn', [])
    expect(statSync(join(home, 'quiet/quinn')).mtimeMs).toBeLessThan(statSync(config).mtimeMs)
  })

  it('makes private folders, also the one in which liveness is noted', () => {
    const { home, quiet } = open()
    quiet.make('quinn', [])
    for (const name of ['quiet', 'live']) expect(statSync(join(home, name)).mode & 0o777).toBe(0o700)
    expect(statSync(join(home, 'quiet/quinn')).mode & 0o777).toBe(0o600)
  })

  it('takes the place of an earlier one, and of what a killed process left', () => {
    const { home, quiet } = open()
    plantQuiet(home, ['quinn', '.partial'])
    expect(quiet.make('quinn', ['/spool'])).toBe(true)
    expect(readFileSync(join(home, 'quiet/quinn'), 'utf8')).toBe(`${BOOT_ID}\n/spool\n`)
    expect(quietIn(home)).toEqual(['quinn'])
  })

  it('makes none where a spool cannot be said in a line or depends on where one stands', () => {
    const { home, quiet } = open()
    for (const spool of ['/a\nb', 'relative', '']) expect(quiet.make('quinn', [spool])).toBe(false)
    expect(quietIn(home)).toEqual([])
  })

  it('makes none where it cannot, and does not mind', () => {
    const { home, quiet } = open()
    writeFileSync(join(home, 'quiet'), 'something else')
    expect(quiet.make('quinn', [])).toBe(false)
  })

  it('follows no link that somebody has laid in its way', () => {
    const { home, quiet } = open()
    const victim = join(home, 'victim')
    writeFileSync(victim, 'precious')
    mkdirSync(join(home, 'quiet'))
    symlinkSync(victim, join(home, 'quiet/.partial'))
    expect(quiet.make('quinn', [])).toBe(false)
    expect(readFileSync(victim, 'utf8')).toBe('precious')
  })

  it('clears away what a killed process has renamed and not deleted', async () => {
    const { home, quiet } = open()
    mkdirSync(join(home, 'quiet-old-1-2-3'))
    writeFileSync(join(home, 'quiet-old-1-2-3/quinn'), '')
    quiet.make('quinn', [])
    await expect.poll(() => readdirSync(home).toSorted()).toEqual(['live', 'quiet'])
  })

  it('is only for the store of a home, which shares its folder with no other', () => {
    expect(quietFolderOf('/somewhere/other.db')).toBeUndefined()
  })
})

describe('removing quiet files', () => {
  it('removes those that are named, of few and of many', () => {
    const { home, quiet } = open()
    plantQuiet(home, ['quinn', 'robin', 'zoe', ...many])
    quiet.remove(new Set(['quinn']))
    quiet.remove(new Set(['robin', 'nobody']))
    quiet.remove(new Set([...many, 'nobody']))
    expect(quietIn(home)).toEqual(['zoe'])
  })

  it('has nothing to do where there is no folder, or something else in its place', () => {
    const { home, quiet } = open()
    for (const agents of [[], ['quinn'], ['quinn', 'robin'], many]) quiet.remove(new Set(agents))
    quiet.removeAll()
    writeFileSync(join(home, 'quiet'), '')
    quiet.remove(new Set(['quinn']))
    expect(looksQuiet(home, 'quinn')).toBe(false)
  })

  it('moves the whole folder away at once for everybody, and deletes it at leisure', async () => {
    const { home, quiet } = open()
    plantQuiet(home, many)
    quiet.removeAll()
    expect(existsSync(join(home, 'quiet'))).toBe(false)
    await expect.poll(() => readdirSync(home)).toEqual([])
  })

  it('moves the folder away where a file in it cannot be removed', async () => {
    const { home, quiet } = open()
    plantQuiet(home, ['robin'])
    mkdirSync(join(home, 'quiet/quinn/kept'), { recursive: true })
    quiet.remove(new Set(['quinn']))
    expect(quietIn(home)).toEqual([])
  })

  it('refuses where neither can be done', async () => {
    const { home, quiet } = open()
    plantQuiet(home, ['quinn'])
    for (const path of [join(home, 'quiet'), home]) chmodSync(path, 0o555)
    try {
      for (const remove of [() => quiet.remove(new Set(['quinn'])), () => quiet.removeAll()])
        await withoutRoot(() => expect(remove).toThrow(expect.objectContaining({ code: 'STORE_IO' })))
    } finally {
      for (const path of [home, join(home, 'quiet')]) chmodSync(path, 0o700)
    }
  })
})
