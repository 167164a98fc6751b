import { randomToken } from '../../../kit/node/crypto.ts'
import { writeWhole } from '../../../kit/node/output.ts'
import { PosternError } from '../../../model/errors.ts'
import type { Inheritance } from '../../../model/handoff/handoff.ts'
import type { Postern } from '../../../model/postern.ts'
import { renderInheritance } from '../../../render/handoff.ts'
import { foldLines } from '../../../render/terminal.ts'
import type { Args, Command, Io } from '../../shell/command.ts'
import { formatJson } from '../../shell/json.ts'
import { ownAgent } from '../../shell/own-agent.ts'
import { usage } from '../../shell/parse.ts'
import { PLACE_OPTIONS, placeIn, sessionIn } from './place.ts'

const STDOUT = 1
const NONCE_LENGTH = 12

export const handoffInherit: Command = {
  path: 'handoff inherit',
  summary: 'Show what was left for this session, once.',
  options: [
    { name: 'max-tokens', value: '<n>', summary: 'at most about so many tokens (default 500; the first item always)' },
    { name: 'agent', value: '<agent>', summary: 'for whom (default: your own agent)' },
    { name: 'session', value: '<id>', summary: 'the session that inherits (default: yours)' },
    { name: 'peek', summary: 'only look: everything stays for the next one' },
    ...PLACE_OPTIONS,
  ],
  examples: ['postern handoff inherit', 'postern handoff inherit --max-tokens 2000 --json'],

  async run(io, args) {
    const maxTokens = tokensIn(args)
    const postern = await io.open()
    const agent = await ownAgent(io, args, postern)
    const inheritance = await postern.handoff.inherit({
      ...placeIn(args),
      ...(agent !== undefined && { agent }),
      ...(await sessionIn(args, postern)),
      ...(maxTokens !== undefined && { maxTokens }),
    })
    await show(postern, inheritance, { text: format(io, inheritance), isPeek: args.has('peek') })
    if (!inheritance.isInitialised)
      io.stderr.line('No handoff is set up here yet, so nothing is shown: "postern handoff init" does it.')
    return undefined
  },
}

/**
 * Prints, and only then says that it was printed. If the reader has gone or the disk is full, the items are given back
 * at once; if this process dies in between, that happens by itself.
 */
const STILL_THERE = 'The items are still in the inbox. Inherit them again.'

async function show(
  postern: Postern,
  { id }: Inheritance,
  { text, isPeek }: { readonly text: string; readonly isPeek: boolean },
): Promise<void> {
  try {
    await writeWhole(STDOUT, `${text}\n`)
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown'
    if (id !== null) await postern.handoff.release({ id, reason: `the output could not be written (${reason})` })
    throw new PosternError('OUTPUT_FAILED', { reason, next: STILL_THERE }, { cause: error })
  }
  if (id === null) return
  if (isPeek) await postern.handoff.release({ id, reason: 'somebody only looked' })
  else await postern.handoff.confirm({ id, printed: true })
}

function format(io: Io, inheritance: Inheritance): string {
  if (io.isJson) return formatJson(inheritance)
  const text = renderInheritance(inheritance, { nonce: randomToken(NONCE_LENGTH) })
  return io.stdout.isTerminal ? foldLines(text, io.stdout.columns) : text
}

function tokensIn(args: Args): number | undefined {
  const value = args.get('max-tokens')
  if (value === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(value)) throw usage(handoffInherit, '--max-tokens takes a whole number above zero')
  return Number(value)
}
