import { randomToken } from '../../kit/node/crypto.ts'
import { writeWhole } from '../../kit/node/output.ts'
import { PosternError } from '../../model/errors.ts'
import type { Drained, HotPostern } from '../../model/postern.ts'
import { parsePriority } from '../../model/priority.ts'
import { renderDrain } from '../../render/drain.ts'
import { renderLines } from '../../render/lines.ts'
import { foldLines } from '../../render/terminal.ts'
import type { Args, Command, Io } from '../command.ts'
import { DRAIN_FORM } from '../drain-form.ts'
import { formatJson } from '../json.ts'
import { requireOwnAgent } from '../own-agent.ts'
import { usage } from '../parse.ts'

const STDOUT = 1
const NONCE_LENGTH = 12

export const inboxDrain: Command<HotPostern> = {
  ...DRAIN_FORM,

  async run(io, args) {
    const style = parseStyle(args)
    const postern = await io.open()
    const drained = await postern.inbox.drain({
      agent: await requireOwnAgent(io, args, postern),
      via: 'cli',
      ...drainOptions(io, args),
    })
    await showThenConfirm(postern, drained, formatDrained(io, drained, style))
    return undefined
  },
}

/**
 * Prints, and only then says that it was printed. If the reader has gone or the disk is full, the messages are given
 * back at once; if this process dies in between, their offer lapses by itself.
 */
async function showThenConfirm(postern: HotPostern, { offer }: Drained, text: string): Promise<void> {
  try {
    if (text !== '') await writeWhole(STDOUT, `${text}\n`)
  } catch (error) {
    const reason = `the output could not be written (${(error as NodeJS.ErrnoException).code})`
    if (offer) await postern.inbox.release({ offerId: offer.id, reason })
    throw new PosternError('OUTPUT_FAILED', { reason }, { cause: error })
  }
  if (offer) await postern.inbox.confirm({ offerId: offer.id, printed: true, evidence: 'its output was taken whole' })
}

function formatDrained(io: Io<HotPostern>, drained: Drained, style: 'fence' | 'lines'): string {
  if (io.isJson) return formatJson({ messages: drained.messages, remaining: drained.remaining })
  if (style === 'lines') return drained.messages.length === 0 ? '' : renderLines(drained.messages, io.now())
  const text = renderDrain(drained, { nonce: randomToken(NONCE_LENGTH), style: 'terminal' })
  return io.stdout.isTerminal ? foldLines(text, io.stdout.columns) : text
}

function drainOptions(io: Io<HotPostern>, args: Args) {
  const sessionId = args.get('session')
  const maxPriority = args.get('max-priority')
  const { drainMessages, drainCharacters } = io.config.limits
  const isFenced = !io.isJson && args.get('style') !== 'lines'
  return {
    maxMessages: whole(args, 'limit') ?? drainMessages,
    ...(isFenced && { maxCharacters: whole(args, 'max-chars') ?? drainCharacters }),
    ...(args.has('max-tokens') && { maxTokens: whole(args, 'max-tokens') ?? 0 }),
    ...(sessionId !== undefined && { sessionId }),
    ...(maxPriority !== undefined && { maxPriority: parsePriority(maxPriority) }),
  }
}

function whole(args: Args, name: string): number | undefined {
  const value = args.get(name)
  if (value === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(value)) throw usage(inboxDrain, `--${name} takes a whole number above zero`)
  return Number(value)
}

function parseStyle(args: Args): 'fence' | 'lines' {
  const style = args.get('style') ?? 'fence'
  if (style === 'lines' && (args.has('max-chars') || args.has('max-tokens'))) {
    throw usage(inboxDrain, 'Room is measured for the fence only; bound lines by --limit')
  }
  if (style === 'fence' || style === 'lines') return style
  throw usage(inboxDrain, '--style takes fence or lines')
}
