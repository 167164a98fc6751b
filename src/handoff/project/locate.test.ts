import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { git, makeGit } from '../../../test/helpers/handoff/git.ts'
import { makeRepository } from '../../../test/helpers/handoff/projects.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { locateProject } from './locate.ts'

const DEFAULTS = { sharedInbox: null, shared: false }
const locate = (project: string, options = {}) => locateProject({ project }, { ...DEFAULTS, ...options })

describe('the project of a folder', () => {
  it('is the nearest one above that git knows', () => {
    const parent = temporaryFolder()
    const root = makeGit(join(parent, 'atlas'))
    mkdirSync(join(root, 'src', 'deep'), { recursive: true })
    const expected = { root, repo: 'atlas', branch: 'main', sharedInbox: null }
    expect(locate(join(root, 'src', 'deep'))).toEqual(expected)
    expect(locate(root)).toEqual(expected)
  })

  it('is the same through a link', () => {
    const parent = temporaryFolder()
    const root = makeRepository(join(parent, 'atlas'))
    symlinkSync(root, join(parent, 'link'))
    expect(locate(join(parent, 'link')).root).toBe(root)
  })

  it('is a worktree, or the main repository where that is wanted', () => {
    const parent = temporaryFolder()
    const main = makeGit(join(parent, 'atlas'))
    const tree = join(parent, 'trees', 'atlas-fix')
    git(main, 'worktree', 'add', '--quiet', '-b', 'fix/auth', tree)
    const shared = { repo: 'atlas', branch: 'fix/auth', sharedInbox: null }
    expect(locate(tree)).toEqual({ ...shared, root: tree })
    expect(locate(tree, { shared: true })).toEqual({ ...shared, root: main })
    expect(locateProject({ project: tree, shared: false }, { ...DEFAULTS, shared: true }).root).toBe(tree)
    expect(locateProject({ project: tree, shared: true }, DEFAULTS).root).toBe(main)
  })

  it('is a submodule, whatever is around it, and its own main repository for a worktree of it', () => {
    const parent = temporaryFolder()
    const inner = makeGit(join(parent, 'borealis'))
    const outer = makeGit(join(parent, 'atlas'))
    git(outer, 'submodule', '--quiet', 'add', inner, 'libs/borealis')
    const root = join(outer, 'libs', 'borealis')
    expect(locate(root, { shared: true })).toMatchObject({ root, repo: 'borealis', branch: 'main' })
    const tree = join(parent, 'tree')
    git(root, 'worktree', 'add', '--quiet', '--detach', tree)
    expect(locate(tree)).toMatchObject({ root: tree, repo: 'borealis', branch: null })
    expect(locate(tree, { shared: true }).root).toBe(root)
  })

  it('is a worktree of a repository that has no files of its own', () => {
    const parent = temporaryFolder()
    const main = makeGit(join(parent, 'atlas'))
    git(parent, 'clone', '--quiet', '--bare', main, 'borealis.git')
    const tree = join(parent, 'tree')
    git(join(parent, 'borealis.git'), 'worktree', 'add', '--quiet', tree)
    expect(locate(tree, { shared: true })).toMatchObject({ root: tree, repo: 'borealis' })
  })

  it('is the folder that points to such a repository, where there is one', () => {
    const parent = temporaryFolder()
    const main = makeGit(join(parent, 'atlas'))
    const home = join(parent, 'calypso')
    mkdirSync(home)
    git(home, 'clone', '--quiet', '--bare', main, '.bare')
    writeFileSync(join(home, '.git'), 'gitdir: ./.bare\n')
    git(join(home, '.bare'), 'worktree', 'add', '--quiet', join(home, 'main'))
    expect(locate(join(home, 'main'))).toMatchObject({ root: join(home, 'main'), repo: 'calypso' })
    expect(locate(join(home, 'main'), { shared: true }).root).toBe(home)
  })

  it('has no branch while none is checked out', () => {
    const root = makeGit(join(temporaryFolder(), 'atlas'))
    git(root, 'checkout', '--quiet', '--detach')
    expect(locate(root).branch).toBeNull()
  })

  it('is not that of a repository which knows nothing of it', () => {
    const parent = temporaryFolder()
    const other = makeGit(join(parent, 'private'))
    const root = join(parent, 'planted')
    mkdirSync(join(root, 'git'), { recursive: true })
    writeFileSync(join(root, '.git'), 'gitdir: git\n')
    writeFileSync(join(root, 'git', 'commondir'), `${join(other, '.git')}\n`)
    expect(locate(root, { shared: true })).toMatchObject({ root, repo: 'planted' })
  })

  it.each([
    ['that does not exist', (folder: string) => join(folder, 'gone')],
    ['of nothing that git knows', (folder: string) => folder],
  ])('is none for a folder %s', (_, folderIn) => {
    const folder = folderIn(temporaryFolder())
    const error = expect.objectContaining({ code: 'HANDOFF_OUTSIDE', details: { folder } })
    expect(() => locate(folder)).toThrow(error)
  })

  it('does not wait at a pipe', () => {
    const root = makeRepository(join(temporaryFolder(), 'atlas'))
    execFileSync('mkfifo', [join(root, '.git', 'commondir')])
    expect(locate(root)).toMatchObject({ root, branch: 'main' })
  })
})

describe('a project', () => {
  it('has a name that others can have a folder by', () => {
    const root = makeRepository(join(temporaryFolder(), 'atlas & Söhne\n!'))
    expect(locate(root).repo).toBe('atlas-S-hne-')
  })

  it('shares items where it is told to, or nowhere', () => {
    const parent = temporaryFolder()
    const root = makeRepository(join(parent, 'atlas'))
    mkdirSync(join(parent, 'elsewhere'))
    symlinkSync(join(parent, 'elsewhere'), join(parent, 'link'))
    expect(locate(root, { sharedInbox: join(parent, 'link') }).sharedInbox).toBe(join(parent, 'elsewhere'))
    expect(locate(root, { sharedInbox: join(parent, 'later') }).sharedInbox).toBe(join(parent, 'later'))
    expect(locate(root, { sharedInbox: null }).sharedInbox).toBeNull()
  })
})
