import { startOf } from '../../kit/pure/cut.ts'
import { PosternError } from '../../model/errors.ts'
import { type Args, COMMON_OPTIONS, type Form, type Option } from './command.ts'
import { nearest } from './suggest.ts'

/** Parses words by a command's declaration. The error for an unknown option suggests the one that was probably meant. */
export function parseArgs(command: Form, argv: readonly string[]): Args {
  const table = optionTable(command)
  const values = new Map<string, string[]>()
  const operands: string[] = []

  const rest = [...argv]
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      operands.push(...rest.splice(0))
    } else if (word.startsWith('-') && word.length > 1) {
      const [name, inline] = splitOption(word)
      const option = table.get(name)
      if (!option) throw unknownOption(command, word, table)
      take(option, inline, word)
    } else {
      operands.push(word)
    }
  }
  if (!values.has('help')) requireOperands(command, operands)
  return {
    operands,
    has: (name) => values.has(name),
    get: (name) => values.get(name)?.at(-1),
    all: (name) => values.get(name) ?? [],
  }

  function take(option: Option, inline: string | undefined, word: string): void {
    if (option.value === undefined && inline !== undefined) throw usage(command, `${word} takes no value`)
    const value = option.value === undefined ? '' : (inline ?? rest.shift())
    if (value === undefined) throw usage(command, `${word} needs a value, ${option.value}`)
    const known = values.get(option.name) ?? []
    if (known.length > 0 && !option.multiple && option.value !== undefined)
      throw usage(command, `${word} is given twice`)
    values.set(option.name, [...known, value])
  }
}

export function usage(command: Form, message: string): PosternError {
  return new PosternError('USAGE', { message: `${message}.`, next: `See "postern ${command.path} --help".` })
}

function splitOption(word: string): [string, string | undefined] {
  const at = word.indexOf('=')
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)]
}

/** Every spelling of an option, with the option. */
export function optionTable(command: Form): Map<string, Option> {
  const table = new Map<string, Option>()
  for (const option of [...(command.options ?? []), ...COMMON_OPTIONS]) {
    for (const name of [option.name, ...(option.aliases ?? [])])
      if (!table.has(`--${name}`)) table.set(`--${name}`, option)
    if (option.short) table.set(`-${option.short}`, option)
  }
  return table
}

function unknownOption(command: Form, word: string, table: ReadonlyMap<string, Option>): PosternError {
  const near = nearest(splitOption(word)[0], [...table.keys()])
  return usage(
    command,
    `There is no option ${startOf(word, 60)}${near ? `; did you mean ${near}?` : ''}`.replace(/\?$/, ''),
  )
}

/** Checks the number of operands: `<id>` is required, `[text]` is optional, and `…` takes any number. */
function requireOperands(command: Form, operands: readonly string[]): void {
  const wanted = (command.operands ?? '').split(' ').filter(Boolean)
  const least = wanted.filter((word) => word.startsWith('<')).length
  const most = wanted.some((word) => word.includes('…')) ? Number.POSITIVE_INFINITY : wanted.length
  if (operands.length < least) throw usage(command, `${wanted[operands.length]} is missing`)
  if (operands.length > most) throw usage(command, `"${operands[most]}" is one operand too many`)
}
