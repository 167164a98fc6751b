// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are source code.
import { describe, expect, it } from 'vitest'
import { type Check, formatBreaches } from './breach.ts'
import {
  checkFileNames,
  checkFileSizes,
  checkFolderSizes,
  checkTestPlaces,
  checkWords,
  MAX_FOLDER_FILES,
  MAX_SOURCE_LINES,
  MAX_TEST_LINES,
} from './shape.ts'

const breachesOf = (check: Check, files: Record<string, string>) =>
  formatBreaches(check(new Map(Object.entries(files))))

const lines = (count: number) => 'a\n'.repeat(count)

describe('checkFileSizes', () => {
  it('finds files that are too long, and takes those that are just not', () => {
    expect(breachesOf(checkFileSizes, { 'src/core/a.ts': lines(MAX_SOURCE_LINES) })).toBe('')
    expect(breachesOf(checkFileSizes, { 'src/core/a.ts': lines(MAX_SOURCE_LINES + 1) })).toContain('has 501 lines')
    expect(breachesOf(checkFileSizes, { 'src/core/a.test.ts': lines(MAX_TEST_LINES) })).toBe('')
    expect(breachesOf(checkFileSizes, { 'test/a.test.ts': lines(MAX_TEST_LINES + 1) })).toContain('has 1001 lines')
  })
})

describe('checkFolderSizes', () => {
  const folder = (count: number, suffix: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`src/core/inbox/a${i}${suffix}`, '']))

  it('finds a folder that holds too many files, tests counted for themselves', () => {
    expect(
      breachesOf(checkFolderSizes, { ...folder(MAX_FOLDER_FILES, '.ts'), ...folder(MAX_FOLDER_FILES, '.test.ts') }),
    ).toBe('')
    expect(breachesOf(checkFolderSizes, folder(MAX_FOLDER_FILES + 1, '.ts'))).toContain(
      `src/core/inbox  holds ${MAX_FOLDER_FILES + 1} files`,
    )
  })
})

describe('checkFileNames', () => {
  it.each([
    'src/core/utils.ts',
    'src/core/helpers/a.ts',
    'src/model/types.ts',
    'src/core/gate-manager.ts',
    'src/kit/pure/misc.test.ts',
    'test/house/common.ts',
  ])('finds %s', (path) => {
    expect(breachesOf(checkFileNames, { [path]: '' })).toContain('says nothing')
  })

  it.each(['src/core/fanOut.ts', 'src/core/Gate.ts', 'src/core/fan_out.ts'])('finds %s', (path) => {
    expect(breachesOf(checkFileNames, { [path]: '' })).toContain('kebab-case')
  })

  it.each([
    'src/core/fan-out.ts',
    'src/core/fan-out.test.ts',
    'test/helpers/signal.ts',
    'src/model/prototype.ts',
  ])('takes %s', (path) => {
    expect(breachesOf(checkFileNames, { [path]: '' })).toBe('')
  })
})

describe('checkTestPlaces', () => {
  it('finds a unit test without its source', () => {
    expect(breachesOf(checkTestPlaces, { 'src/core/a.test.ts': '' })).toContain(
      'tests src/core/a.ts, which is not there',
    )
    expect(breachesOf(checkTestPlaces, { 'src/core/a.test.ts': '', 'src/core/a.ts': '' })).toBe('')
    expect(breachesOf(checkTestPlaces, { 'src/core/a.slow.test.ts': '', 'src/core/a.ts': '' })).toBe('')
    expect(breachesOf(checkTestPlaces, { 'test/scenarios/a.test.ts': '' })).toBe('')
  })
})

describe('checkWords', () => {
  it.each([
    ['src/core/a.ts', 'const beadId = 1', 'say task'],
    ['src/core/a.ts', 'interface Mailbox {}', 'say inbox'],
    ['src/core/a.ts', 'row.envelope.id', 'say message'],
    ['src/core/a.ts', 'const x = { injectQueue }', 'say spool'],
    ['src/core/a.ts', 'const x = `${inject_queue}`', 'say spool'],
    ['src/core/a.ts', 'parseConsciousness()', 'say session or handoff'],
    ['src/cli/a.ts', 'const bead = 1', 'say task'],
    ['src/core/a.ts', "const flag = '--bead'", 'say task'],
    ['src/core/mail-box.ts', '', 'say inbox'],
  ])('finds a planted word in %s: %s', (file, text, remedy) => {
    expect(breachesOf(checkWords, { [file]: text })).toContain(remedy)
  })

  it.each([
    ['src/cli/a.ts', "option('--bead <id>')"],
    ['src/core/a.ts', '// the seed calls this a bead, in an envelope'],
    ['src/spool/path.ts', "const folder = '.runtime/inject-queue'"],
  ])('takes %s: %s', (file, text) => {
    expect(breachesOf(checkWords, { [file]: text })).toBe('')
  })
})
