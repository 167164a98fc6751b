import { PosternError } from '../../model/errors.ts'
import type { Args } from './command.ts'

/** The value of an option that takes a whole number. `1e2` and `0x10` are not what people mean by one. */
export function numberIn(args: Args, name: string): number | undefined {
  const text = args.get(name)
  if (text === undefined) return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new PosternError('VALUE_INVALID', { field: name, value: text, next: 'Use a whole number.' })
}
