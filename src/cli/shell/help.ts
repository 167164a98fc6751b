import { COMMON_OPTIONS, type Command, type Option } from './command.ts'

/** What `postern`, `postern help` and `postern <noun>` print. */
export function overview(commands: readonly Command[], noun?: string): string {
  const shown =
    noun === undefined ? commands : commands.filter(({ path }) => path.startsWith(`${noun} `) || path === noun)
  const width = Math.max(...shown.map(({ path }) => path.length))
  return [
    noun === undefined
      ? 'postern: one durable inbox for AI agents and the people who work with them'
      : `postern ${noun}`,
    '',
    ...shown.map(({ path, summary }) => `  ${path.padEnd(width)}  ${summary}`),
    '',
    'Every command takes --json and --help. Exit codes: 0 ok, 1 failed, 4 not authenticated, 5 not found,',
    '6 conflict, 7 gate open, 8 timed out, 64 usage, 69 unavailable, 130 interrupted.',
  ].join('\n')
}

export function helpFor({ path, summary, operands, options = [], examples = [] }: Command): string {
  return [
    `postern ${path}: ${summary}`,
    '',
    `Usage: postern ${path} [options]${operands ? ` ${operands}` : ''}`,
    ...(examples.length > 0 ? ['', 'Examples:', ...examples.map((example) => `  ${example}`)] : []),
    '',
    'Options:',
    ...optionLines(options.filter(({ isInternal }) => !isInternal)),
    ...optionLines(COMMON_OPTIONS.filter(({ name }) => !options.some((option) => option.name === name))),
  ].join('\n')
}

function optionLines(options: readonly Option[]): string[] {
  const names = options.map(
    ({ name, short, value }) => `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`,
  )
  const width = Math.max(26, ...names.map((name) => name.length))
  return options.map(({ summary }, at) => `  ${(names[at] ?? '').padEnd(width)}  ${summary}`)
}
