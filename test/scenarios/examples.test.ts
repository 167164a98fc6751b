import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EXECUTABLE, withoutChance } from '../helpers/command.ts'
import { runInShell } from '../helpers/shell.ts'
import { fastFolder } from '../helpers/temp.ts'
import { verifies } from './verifies.ts'

const ROOT = dirname(dirname(EXECUTABLE))

/** What each prints. Times are left out; everything else must be as it stands here. */
const PRINTS: Readonly<Record<string, readonly string[]>> = {
  'echo-agent': [
    'INBOX (2 events, TIME):',
    '[agent] echo (unverified): "You said: Is the build green?"',
    '[agent] echo (unverified): "You said: And the tests?"',
    'echo has seen it; it has not been acknowledged.',
    'echo has ended with 0',
  ],
  'space-bot': [
    "analyst hears Husam (human) in Project Alpha: Let's finalize the Q4 report",
    'analyst has 0 more',
    "designer hears Husam (human) in Project Alpha: Let's finalize the Q4 report",
    'designer hears Analyst (agent) in Project Alpha: Revenue is up 12 %.',
    'designer has 0 more',
    "developer hears Husam (human) in Project Alpha: Let's finalize the Q4 report",
    'developer hears Analyst (agent) in Project Alpha: Revenue is up 12 %.',
    'developer has 0 more',
    "The conversation: Husam: Let's finalize the Q4 report | Analyst: Revenue is up 12 %.",
    'Waiting for Husam: 1',
  ],
  'plan-reminder': [
    'The weekly plan shows its next 5 instants.',
    'INBOX (1 events, TIME):',
    '[Plan: soon] Look whether the numbers are in',
    'It is the plan soon.',
    'weekly: ran 0 times, comes again',
    'soon: ran 1 times, is over',
  ],
  'ci-webhook': [
    'the outside system is accepted',
    'INBOX (1 events, TIME):',
    '[Service: ci] {"run":42,"branch":"main","outcome":"failed"}',
    'as JSON: [{"type":"service","data":{"serviceName":"ci","payload":{"run":42,"branch":"main","outcome":"failed"}}}]',
    'the same delivery once more is accepted, and 0 wait',
    'a wrong key is refused',
  ],
  decision: [
    'justin is asked by quinn: decision',
    'the question is answered: no, because "Not before the weekend."',
    'quinn finds a decision: true',
  ],
}

describe('the examples of agents', () => {
  it('are all known here, and small', () => {
    const files = globSync('*.ts', { cwd: join(ROOT, 'examples') })
    expect(files.map((file) => basename(file, '.ts')).toSorted()).toEqual(Object.keys(PRINTS).toSorted())
    const linesOf = (file: string) =>
      readFileSync(join(ROOT, 'examples', file), 'utf8')
        .trimEnd()
        .split('\n').length
    expect(files.filter((file) => linesOf(file) > 60)).toEqual([])
  })

  it.each(Object.entries(PRINTS))('%s runs to its end and prints what happens', async (name, lines) => {
    verifies('S001.examples')
    const home = fastFolder()
    const { exit, stdout, stderr } = await runInShell({ home }, `TMPDIR="$HOME" node "$ROOT/examples/${name}.ts"`)
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    expect(withoutChance(stdout).trimEnd().split('\n')).toEqual(lines)
    expect(globSync('postern-example-*', { cwd: home })).toEqual([])
  })
})
