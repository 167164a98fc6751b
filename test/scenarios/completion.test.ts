import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { postern } from '../helpers/command.ts'
import { needsPrograms } from '../helpers/needs.ts'
import { fastFolder } from '../helpers/temp.ts'

/** What the tab key offers after these words: the script is sourced in a real bash, as a start-up file would do it. */
const COMPLETE = `
source "$1"; shift
complete -p postern >/dev/null || exit 1
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_postern postern "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "\${COMPREPLY[@]}"`

const CASES: readonly [typed: readonly string[], offered: readonly string[]][] = [
  [['postern', 'inb'], ['inbox']],
  [
    ['postern', 'in'],
    ['inbox', 'init'],
  ],
  [['postern', 'inbox', 'pu'], ['push']],
  [['postern', 'inbox', 'push', '--pri'], ['--priority']],
  [['postern', 'inbox', 'push', '--to', 'quinn', '--dedup'], ['--dedup-key']],
  [
    ['postern', 'inbox', 'held', ''],
    ['list', 'release'],
  ],
  [
    ['postern', 'agent', 'r'],
    ['remove', 'rename'],
  ],
  [['postern', 'nothing-like-it', '--zzz'], []],
]

describe('the completion for bash', needsPrograms('bash'), () => {
  it.each(CASES)('offers after %j: %j', async (typed, offered) => {
    const home = fastFolder()
    const script = join(home, 'completion.bash')
    writeFileSync(script, (await postern({ home }, 'completion', 'bash')).stdout)
    const shown = execFileSync('bash', ['--norc', '-uc', COMPLETE, 'bash', script, ...typed], { encoding: 'utf8' })
    expect(shown.split('\n').filter(Boolean).sort()).toEqual(offered)
  })
})
