import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'

/** Runs git as if nobody had configured it. */
export function git(folder: string, ...args: string[]): void {
  const env = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' }
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'protocol.file.allow=always']
  execFileSync('git', [...who, '-c', 'init.defaultBranch=main', ...args], { cwd: folder, env, stdio: 'pipe' })
}

/** A repository with one commit. */
export function makeGit(root: string): string {
  mkdirSync(root, { recursive: true })
  git(root, 'init', '--quiet')
  git(root, 'commit', '--quiet', '--allow-empty', '--message', 'begin')
  return root
}
