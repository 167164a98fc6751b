import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Place } from '../../faults/harness/hook.ts'
import type { Outcome } from '../../helpers/command.ts'
import { warmPostern } from '../../helpers/warm-command.ts'
import { makeFastPlace } from '../place.ts'

/** A place whose project has a handoff. */
export interface Project extends Place {
  /** Runs a command of the handoff in the project; it must succeed. */
  handoff(...words: readonly string[]): Promise<Outcome>
  /** Leaves an item; answers with the name of its file. */
  leave(text: string, ...words: readonly string[]): Promise<string>
}

export async function makeProject(config: Parameters<typeof makeFastPlace>[0] = {}): Promise<Project> {
  const place = await makeFastPlace(config)
  const handoff = async (...words: readonly string[]) => {
    const outcome = await warmPostern({ home: place.home, cwd: place.project }, 'handoff', ...words)
    expect(outcome.exit, outcome.stderr).toBe(0)
    return outcome
  }
  await handoff('init')
  return {
    ...place,
    handoff,
    async leave(text, ...words) {
      const type = words.includes('--type') ? [] : ['--type', 'learning']
      const session = words.includes('--session') ? [] : ['--session', 'ses-0']
      const { stdout } = await handoff('leave', ...type, ...session, ...words, text, '--json')
      return (JSON.parse(stdout) as { name: string }).name
    },
  }
}

/** Names of the items in a folder below the project. */
export function itemsIn({ project }: Place, folder = 'inbox'): string[] {
  const path = join(project, folder)
  return existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.md')) : []
}

export const processedIn = (place: Place): string[] => itemsIn(place, 'inbox/processed')

/** Runs a script in the project as somebody who has only a shell; answers with what it prints. */
export function runScript({ project }: Place, script: string, env: Readonly<Record<string, string>> = {}): string {
  return execFileSync('bash', ['--norc', '-c', script], {
    cwd: project,
    env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', ...env },
    encoding: 'utf8',
  })
}

/** The words of an inheritance without its fence. Fails where a line inside the fence is neither ours nor quoted. */
export function unquote(shown: string): string {
  const [, before = '', inside = '', after = ''] =
    /^(.*?)┌── \d+ items? · files in this repository, unverified · fence \w+\n├ {2}Lines [^\n]*\n(.*?)└── end · fence \w+\n?(.*)$/s.exec(
      shown,
    ) ?? []
  if (before === '') return shown
  const lines = inside.split('\n').slice(0, -1)
  expect(lines.filter((line) => !/^(?:├─ |│(?: |$))/.test(line))).toEqual([])
  return `${before}${lines.map((line) => `${line.replace(/^(?:├─ |│ ?)/, '')}\n`).join('')}${after}`
}
