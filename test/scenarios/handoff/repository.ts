import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Outcome } from '../../helpers/command.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { warmPostern } from '../../helpers/warm-command.ts'

/** A git repository in which commands of the handoff are run. */
export interface Repository {
  readonly home: string
  readonly folder: string
  /** Runs a command of the handoff there. */
  run(...words: readonly string[]): Promise<Outcome>
  /** The same, which must succeed; answers with what it printed. */
  text(...words: readonly string[]): Promise<string>
  /** The same, with its answer in JSON. */
  json<T>(...words: readonly string[]): Promise<T>
  /** The names of the items in a folder below it. */
  items(folder?: string): string[]
  /** Writes a file as another writer would. */
  write(path: string, content: string): void
}

export interface Left {
  readonly box: string
  readonly name: string
  readonly path: string
  readonly from_session: string
  readonly tokens: number
  readonly message: string | null
  readonly gate: string | null
  readonly plan: string | null
}

/** Repositories of one user, side by side. */
export function makeRepositories(...names: readonly string[]): readonly Repository[] {
  const [home, around] = [fastFolder(), fastFolder()]
  const handoff = { sharedInbox: join(around, 'shared-inbox') }
  writeFileSync(join(home, 'config.json'), JSON.stringify({ handoff }))
  return names.map((name) => {
    const folder = join(around, name)
    mkdirSync(folder)
    git(folder, 'init', '-q', '-b', 'main')
    return repositoryIn(home, folder)
  })
}

export async function makeRepository(): Promise<Repository> {
  const [repository = expect.fail('there is no repository')] = makeRepositories('shop')
  await repository.text('init')
  return repository
}

export function repositoryIn(home: string, folder: string): Repository {
  const run = (...words: readonly string[]) => warmPostern({ home, cwd: folder }, 'handoff', ...words)
  const text = async (...words: readonly string[]) => {
    const { exit, stdout, stderr } = await run(...words)
    expect(exit, stderr).toBe(0)
    return stdout
  }
  return {
    home,
    folder,
    run,
    text,
    json: async (...words) => JSON.parse(await text(...words, '--json')),
    items: (path = 'inbox') => readdirSync(join(folder, path)).filter((name) => name.endsWith('.md')),
    write: (path, content) => writeFileSync(join(folder, path), content),
  }
}

/** Adds a worktree beside it. */
export function addWorktree({ home, folder }: Repository, name: string): Repository {
  git(folder, '-c', 'user.name=x', '-c', 'user.email=x@example', 'commit', '-q', '--allow-empty', '-m', 'Begin')
  const worktree = join(fastFolder(), name)
  git(folder, 'worktree', 'add', '-q', '-b', name, worktree)
  return repositoryIn(home, worktree)
}

function git(folder: string, ...words: readonly string[]): void {
  execFileSync('git', ['-C', folder, ...words], { stdio: 'pipe' })
}
