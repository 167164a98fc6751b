import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { git, makeGit } from '../../../test/helpers/handoff/git.ts'
import { plantFile } from '../../../test/helpers/handoff/projects.ts'
import { casesOf } from '../../../test/helpers/property-cases.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { campaign } from '../../../test/helpers/tier.ts'
import { readGitIndex } from './git-index.ts'
import { trackedIn } from './tracked.ts'

/** A repository with a tracked and an untracked file in its inbox, among many others. */
function makeTracked(...setUp: readonly string[][]) {
  const root = makeGit(join(temporaryFolder(), 'atlas'))
  for (const words of setUp) git(root, ...words)
  for (let at = 0; at < 40; at++) plantFile(join(root, at % 2 ? 'src' : 'zoo', `file-${'n'.repeat(at)}.ts`), 'x')
  plantFile(join(root, 'inbox', 'tracked.md'), 'x')
  plantFile(join(root, 'inbox', 'Größe.md'), 'x')
  git(root, 'add', '.')
  plantFile(join(root, 'inbox', 'own.md'), 'x')
  return { root, inbox: join(root, 'inbox'), index: join(root, '.git', 'index') }
}

function ask(inbox: string): readonly boolean[] {
  const isTracked = trackedIn(inbox)
  return ['tracked.md', 'Größe.md', 'own.md'].map(isTracked)
}

describe('the files that git tracks', () => {
  it.each(['2', '3', '4'])('are known from an index of version %s', (version) => {
    const { root, inbox } = makeTracked()
    git(root, 'update-index', '--index-version', version)
    if (version === '3') git(root, 'add', '--intent-to-add', 'inbox/own.md')
    expect(ask(inbox)).toEqual([true, true, version === '3'])
  })

  it('are known from a split index and its base', () => {
    const { root, inbox } = makeTracked()
    git(root, 'update-index', '--split-index')
    expect(ask(inbox)).toEqual([true, true, false])
    git(root, 'add', 'inbox/own.md')
    expect(ask(inbox)).toEqual([true, true, true])
    for (const name of readdirSync(join(root, '.git')))
      if (name.startsWith('sharedindex')) rmSync(join(root, '.git', name))
    expect(trackedIn(inbox)('anything.md')).toBe(true)
  })

  it('are known from an index with SHA-256', () => {
    const root = join(temporaryFolder(), 'atlas')
    mkdirSync(root)
    git(root, 'init', '--quiet', '--object-format=sha256')
    plantFile(join(root, 'inbox', 'tracked.md'), 'x')
    git(root, 'add', '.')
    expect(ask(join(root, 'inbox'))).toEqual([true, false, false])
  })

  it('are those of the worktree, of a submodule, and of every repository around the folder', () => {
    const { root, inbox } = makeTracked()
    git(root, 'commit', '--quiet', '--message', 'x')
    const tree = join(root, '..', 'tree')
    git(root, 'worktree', 'add', '--quiet', '-b', 'other', tree)
    expect(ask(join(tree, 'inbox'))).toEqual([true, true, false])
    const outer = makeGit(join(temporaryFolder(), 'outer'))
    git(outer, 'submodule', '--quiet', 'add', root, 'inbox')
    expect(trackedIn(join(outer, 'inbox'))('anything.md')).toBe(true)
    // A repository of its own in the folder hides nothing that the outer one tracks.
    git(inbox, 'init', '--quiet')
    expect(ask(inbox)).toEqual([true, true, false])
  })

  it('are none in a repository without an index', () => {
    const { inbox, index } = makeTracked()
    rmSync(index)
    expect(ask(inbox)).toEqual([false, false, false])
  })

  it('are the same in capitals, as some file systems have it', () => {
    const { inbox } = makeTracked()
    expect(trackedIn(inbox)('TRACKED.MD')).toBe(true)
  })

  it.each([
    ['cut off', (index: string) => truncateSync(index, 200)],
    ['empty', (index: string) => truncateSync(index, 0)],
    ['larger than 64 MB', (index: string) => truncateSync(index, 65 * 1024 * 1024)],
    ['of an unknown version', (index: string) => writeFileSync(index, patched(index, 7, 9))],
    ['a text', (index: string) => writeFileSync(index, 'no index '.repeat(99))],
    [
      'a folder',
      (index: string) => {
        rmSync(index)
        mkdirSync(index)
      },
    ],
  ])('may be any where the index is %s', (_, spoil) => {
    const { inbox, index } = makeTracked()
    spoil(index)
    expect(trackedIn(inbox)('own.md')).toBe(true)
  })

  campaign('are read in bounded time from any bytes', casesOf(2_000), async (numRuns) => {
    const { root, index } = makeTracked()
    const whole = [2, 4].map((version) => {
      git(root, 'update-index', '--index-version', String(version))
      copyFileSync(index, `${index}.${version}`)
      return readFileSync(index)
    })
    const change = fc.tuple(fc.nat(), fc.nat(255))
    fc.assert(
      fc.property(fc.constantFrom(...whole), fc.array(change, { maxLength: 8 }), fc.nat(), (bytes, changes, cut) => {
        const hostile = Buffer.from(bytes.subarray(0, cut % 3 === 0 ? cut % bytes.length : bytes.length))
        for (const [at, value] of changes) if (hostile.length > 0) hostile[at % hostile.length] = value
        let paths = 0
        try {
          readGitIndex(hostile, 20, () => paths++)
        } catch (error) {
          expect(error).toMatchObject({ message: expect.stringMatching(/^its? /) })
        }
        expect(paths).toBeLessThanOrEqual(hostile.length / 62)
      }),
      { numRuns },
    )
  })
})

function patched(path: string, at: number, value: number): Buffer {
  const bytes = readFileSync(path)
  bytes[at] = value
  return bytes
}
