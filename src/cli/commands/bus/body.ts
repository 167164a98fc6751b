import { fstatSync } from 'node:fs'
import type { PostEntry } from '../../../model/bus/bus.ts'
import { BUS_LIMITS } from '../../../model/bus/entry.ts'
import { PosternError } from '../../../model/errors.ts'
import { type Bounds, readAtMost, readFileAtMost } from '../../shell/bounded-input.ts'
import type { Args, Form } from '../../shell/command.ts'
import { usage } from '../../shell/parse.ts'

type Body = Pick<PostEntry, 'body' | 'body_base64'>

const STDIN = '-'
const BOUNDS: Bounds = { maxBytes: BUS_LIMITS.bodyBytes, tooLarge }

/**
 * What is to be said: the argument, an option, a file, or the standard input, which is also read where something is piped
 * into the command and none of the others is given. Every byte counts, so that what is no UTF-8 travels as base64. An
 * entry may do without a body, as where it only closes an issue.
 */
export async function readBody(form: Form, args: Args): Promise<Body> {
  const [typed] = args.operands
  const [named, file] = [args.get('body'), args.get('body-file')]
  if ([typed, named, file].filter((each) => each !== undefined).length > 1) {
    throw usage(form, 'The body is given twice')
  }
  const text = typed ?? named
  if (text === STDIN || file === STDIN) return inFull(await readAtMost(process.stdin, BOUNDS))
  if (text !== undefined) return { body: text }
  if (file !== undefined) return inFull(await readFileAtMost(file, BOUNDS))
  const piped = isPiped() ? await readAtMost(process.stdin, BOUNDS) : Buffer.alloc(0)
  return piped.length === 0 ? {} : inFull(piped)
}

/** Neither a terminal nor the null device says anything by itself. */
function isPiped(): boolean {
  try {
    const stat = fstatSync(0)
    return stat.isFIFO() || stat.isSocket() || stat.isFile()
  } catch {
    return false
  }
}

function inFull(bytes: Buffer): Body {
  const text = bytes.toString('utf8')
  return Buffer.from(text).equals(bytes) ? { body: text } : { body_base64: bytes.toString('base64') }
}

function tooLarge(bytes: number): PosternError {
  return new PosternError('BUS_BODY_TOO_LARGE', { bytes, limit: BUS_LIMITS.bodyBytes })
}
