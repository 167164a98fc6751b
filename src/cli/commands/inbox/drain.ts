import { workingFolder } from '../../../host/config/working-folder.ts'
import { randomToken } from '../../../kit/node/crypto.ts'
import { writeWhole } from '../../../kit/node/output.ts'
import { PosternError } from '../../../model/errors.ts'
import type { Drained, Postern } from '../../../model/postern.ts'
import { parsePriority } from '../../../model/priority.ts'
import { renderDrain } from '../../../render/drain.ts'
import { foldLines, showField } from '../../../render/terminal.ts'
import type { Args, Command, Form, Io } from '../../shell/command.ts'
import { formatJson } from '../../shell/json.ts'
import { requireOwnAgent } from '../../shell/own-agent.ts'
import { usage } from '../../shell/parse.ts'

const STDOUT = 1
const NONCE_LENGTH = 12
const SPOOL_PATIENCE_MS = 2_000
const MAX_WARNING_WIDTH = 500

export const DRAIN_FORM: Form = {
  path: 'inbox drain',
  summary: 'Show what waits for an agent, once.',
  options: [
    { name: 'agent', value: '<agent>', aliases: ['bead'], summary: 'whose inbox (default: your own)' },
    { name: 'session', value: '<id>', summary: 'the session that is shown the messages' },
    { name: 'limit', value: '<n>', summary: 'at most so many messages (default 20; critical ones always)' },
    { name: 'max-chars', value: '<n>', summary: 'at most so many characters of text (default 8000)' },
    { name: 'max-tokens', value: '<n>', summary: 'at most about so many tokens of text' },
    { name: 'max-priority', value: '<0–4>', summary: 'only this urgent or more' },
    { name: 'style', value: '<fence|lines>', summary: 'how messages are shown (default fence)' },
    { name: 'reconcile', summary: 'accepted for scripts; every drain asks the store' },
  ],
  examples: ['postern inbox drain --agent quinn', 'postern inbox drain --agent quinn --json'],
}

export const inboxDrain: Command = {
  ...DRAIN_FORM,

  async run(io, args) {
    const format = parseStyle(io, args)
    const bounds = drainOptions(io, args, format === fenced)
    const postern = await io.open()
    const agent = await requireOwnAgent(io, args, postern)
    const sessionId = args.get('session')
    if (sessionId !== undefined) await ingestSpoolOf(io, postern, { agent, sessionId })
    const input = { agent, via: 'cli', ...bounds }
    const drained = await postern.inbox.drain(input).catch(async (error: unknown) => {
      const isFull = error instanceof PosternError && error.code === 'STORE_FULL'
      if (isFull && !io.isJson)
        await (await import('./untaken.ts')).showUntaken(postern, input, (each) => format(io, each))
      throw error
    })
    const { messages, remaining } = drained
    await showThenConfirm(postern, drained, io.isJson ? formatJson({ messages, remaining }) : await format(io, drained))
    return undefined
  },
}

/** Turns what was drained into the text that is printed. */
type Format = (io: Io, drained: Drained) => string | Promise<string>

function parseStyle(io: Io, args: Args): Format {
  const style = args.get('style') ?? 'fence'
  if (style !== 'fence' && style !== 'lines') throw usage(inboxDrain, '--style takes fence or lines')
  if ((style === 'lines' || io.isJson) && (args.has('max-chars') || args.has('max-tokens'))) {
    throw usage(
      inboxDrain,
      `--max-chars and --max-tokens work with --style fence only; limit ${io.isJson ? 'JSON' : 'lines'} with --limit`,
    )
  }
  return style === 'fence' ? fenced : inLines
}

/** What is wrong with a spool keeps nobody from what the store holds; it stays where it is until that is mended. */
async function ingestSpoolOf(
  io: Io,
  postern: Postern,
  session: { readonly agent: string; readonly sessionId: string },
): Promise<void> {
  const { ingestSpool, projectRoot, SpoolError } = await import('../../../host/spool.ts')
  try {
    await ingestSpool(postern, { ...session, root: projectRoot(workingFolder()), patienceMs: SPOOL_PATIENCE_MS })
  } catch (error) {
    if (!(error instanceof SpoolError)) throw error
    io.stderr.line(`postern: ${showField(error.message, MAX_WARNING_WIDTH)}`)
  }
}

const STILL_THERE = 'The messages are still in the inbox. Drain it again.'

/**
 * Prints, and only then says that it was printed. If the reader has gone or the disk is full, the messages are given
 * back at once; if this process dies in between, their offer lapses by itself.
 */
async function showThenConfirm(postern: Postern, { offer }: Drained, text: string): Promise<void> {
  try {
    if (text !== '') await writeWhole(STDOUT, `${text}\n`)
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown'
    if (offer) await postern.inbox.release({ offerId: offer.id, reason: `the output could not be written (${reason})` })
    throw new PosternError('OUTPUT_FAILED', { reason, next: STILL_THERE }, { cause: error })
  }
  if (offer) await postern.inbox.confirm({ offerId: offer.id, printed: true, evidence: 'its output was taken whole' })
}

const fenced: Format = (io, drained) => {
  const text = renderDrain(drained, { nonce: randomToken(NONCE_LENGTH), style: 'terminal' })
  return io.stdout.isTerminal ? foldLines(text, io.stdout.columns) : text
}

/** One line a message. Few ask for that, so the code is loaded on use. */
const inLines: Format = async (io, { messages }) => {
  const { renderLines } = await import('../../../render/lines.ts')
  return messages.length === 0 ? '' : renderLines(messages, io.now())
}

/** Room is measured for the fence. */
function drainOptions(io: Io, args: Args, isFenced: boolean) {
  const sessionId = args.get('session')
  const maxPriority = args.get('max-priority')
  const { drainMessages, drainCharacters } = io.config.limits
  return {
    maxMessages: whole(args, 'limit') ?? drainMessages,
    ...(isFenced && !io.isJson && { maxCharacters: whole(args, 'max-chars') ?? drainCharacters }),
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
