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

/** The same in a real zsh without start-up files. `compadd` says what it is given and matches. */
const COMPLETE_IN_ZSH = `
autoload -Uz compinit && compinit -u -D
source "$1"; shift
[[ $_comps[postern] == _postern ]] || exit 1
typeset -a words; words=("$@"); CURRENT=$#
compadd() {
  shift
  for word in "$@"; do [[ $word == \${words[CURRENT]}* ]] && print -r -- "$word"; done
  return 0
}
_postern`

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

describe('the completion for zsh', needsPrograms('zsh'), () => {
  it.each(CASES)('offers after %j: %j', async (typed, offered) => {
    const home = fastFolder()
    const script = join(home, 'completion.zsh')
    writeFileSync(script, (await postern({ home }, 'completion', 'zsh')).stdout)
    const shown = execFileSync('zsh', ['-f', '-c', COMPLETE_IN_ZSH, 'zsh', script, ...typed], { encoding: 'utf8' })
    expect(shown.split('\n').filter(Boolean).sort()).toEqual(offered)
  })

  it('leaves the search path of the shell as it is, without a compinit of the user', async () => {
    const home = fastFolder()
    const script = join(home, 'completion.zsh')
    writeFileSync(script, (await postern({ home }, 'completion', 'zsh')).stdout)
    const words =
      'before=$PATH; source "$1"; _postern_next "inbox push" >/dev/null; [[ $PATH == $before ]] && print same'
    const env = { ...process.env, HOME: home }
    expect(execFileSync('zsh', ['-f', '-c', words, 'zsh', script], { encoding: 'utf8', env })).toBe('same\n')
  })
})
