import { PosternError } from '../../../model/errors.ts'
import { type Bounds, readAtMost, readFileAtMost } from '../../shell/bounded-input.ts'
import type { Args, Form, Option } from '../../shell/command.ts'
import { usage } from '../../shell/parse.ts'

export const FILE_OPTION: Option = { name: 'file', value: '<path>', summary: 'read the text from a file; - is stdin' }

const STDIN = '-'

/** More than any text may have; what each may have the heart says. */
const MAX_BYTES = 1024 * 1024
const BOUNDS: Bounds = { maxBytes: MAX_BYTES, tooLarge: () => invalid(`it has more than ${MAX_BYTES} bytes`) }

/** What is to be written: the argument, a file, or the standard input. Nothing at all is for the heart to refuse. */
export async function readText(form: Form, args: Args): Promise<string> {
  const [typed] = args.operands
  const file = args.get('file')
  if (typed !== undefined && file !== undefined) {
    throw usage(form, 'The text is given twice, as an argument and by --file')
  }
  if (typed === STDIN || file === STDIN) return decode(await readAtMost(process.stdin, BOUNDS))
  if (file === undefined) return typed ?? ''
  return decode(await readFileAtMost(file, BOUNDS))
}

function decode(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (!Buffer.from(text).equals(bytes)) throw invalid('its text is not UTF-8')
  return text
}

function invalid(reason: string): PosternError {
  return new PosternError('HANDOFF_ITEM_INVALID', { reason })
}
