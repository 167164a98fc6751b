import { PosternError } from '../../model/errors.ts'
import { COMMON_OPTIONS, type Command } from './command.ts'
import { answer } from './print.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

/** The `completion` command: a script for a shell, made from the table of commands. */
export function completionCommand(commands: () => readonly Command[]): Command {
  return {
    path: 'completion',
    summary: 'Print a completion script for bash, zsh or fish.',
    operands: '<shell>',
    examples: [
      'source <(postern completion bash)',
      'source <(postern completion zsh)',
      'postern completion fish | source',
    ],
    async run(io, args) {
      const shell = args.operands[0] as (typeof SHELLS)[number]
      if (!SHELLS.includes(shell)) {
        throw new PosternError('VALUE_INVALID', {
          field: 'shell',
          value: shell,
          next: `Use one of ${SHELLS.join(', ')}.`,
        })
      }
      const script = SCRIPTS[shell](commands())
      answer(io, { shell, script }, script)
      return undefined
    },
  }
}

/** What may follow the words typed so far, as `words → continuations`. */
function continuations(commands: readonly Command[]): Map<string, Set<string>> {
  const next = new Map<string, Set<string>>()
  const add = (words: string, word: string) => next.set(words, (next.get(words) ?? new Set()).add(word))
  for (const { path, options = [] } of commands) {
    const words = path.split(' ')
    words.forEach((word, at) => {
      add(words.slice(0, at).join(' '), word)
    })
    for (const { name, isInternal } of [...options, ...COMMON_OPTIONS]) if (!isInternal) add(path, `--${name}`)
  }
  return next
}

/** Sets `words` to what may follow `path`, or the longest part of it that is known. Bash and zsh read it alike. */
function lookUp(commands: readonly Command[]): string[] {
  const cases = [...continuations(commands)].map(([words, next]) => `    "${words}") words="${[...next].join(' ')}" ;;`)
  return [
    '  while :; do case "$line" in',
    ...cases,
    '    esac; [ -n "$words" ] || [ -z "$line" ] && break; case "$line" in *" "*) line="${line% *}" ;; *) line="" ;; esac; done',
  ]
}

function bash(commands: readonly Command[]): string {
  return [
    '_postern() {',
    '  local typed=() word words=""',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do case "$word" in -*) ;; *) typed+=("$word") ;; esac; done',
    '  local line="${typed[*]}"',
    ...lookUp(commands),
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -F _postern postern',
  ].join('\n')
}

/** In zsh `path` is the search path of the shell, and `words` what is typed, so that neither is set here. */
function zsh(commands: readonly Command[]): string {
  return [
    '#compdef postern',
    '_postern_next() {',
    '  local line="$1" words=""',
    ...lookUp(commands),
    '  print -r -- "$words"',
    '}',
    '_postern() {',
    '  local -a typed next',
    '  typed=("${(@)${(@)words[2,CURRENT-1]}:#-*}")',
    '  next=(${=$(_postern_next "${(j: :)typed}")})',
    '  compadd -- "${next[@]}"',
    '}',
    '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }',
    'compdef _postern postern',
  ].join('\n')
}

function fish(commands: readonly Command[]): string {
  const lines = ['complete -c postern -f']
  for (const [words, next] of continuations(commands)) {
    const typed =
      words === ''
        ? 'test (count (commandline -opc)) -eq 1'
        : `string match -q -- "postern ${words}*" (string join " " (commandline -opc))`
    for (const word of next) {
      const kind = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`
      lines.push(`complete -c postern -n '${typed}' ${kind}`)
    }
  }
  return lines.join('\n')
}

const SCRIPTS = { bash, zsh, fish } as const
