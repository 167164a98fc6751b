import { randomToken } from '../../../kit/node/crypto.ts'
import { writeWhole } from '../../../kit/node/output.ts'
import { PosternError } from '../../../model/errors.ts'
import type { Drained, HotPostern } from '../../../model/postern.ts'
import { parsePriority } from '../../../model/priority.ts'
import { renderDrain } from '../../../render/drain.ts'
import { foldLines, showField } from '../../../render/terminal.ts'
import { DRAIN_FORM } from '../../drain-form.ts'
import type { Args, Command, Io } from '../../shell/command.ts'
import { formatJson } from '../../shell/json.ts'
import { requireOwnAgent } from '../../shell/own-agent.ts'
import { usage } from '../../shell/parse.ts'

const STDOUT = 1
const NONCE_LENGTH = 12
const SPOOL_PATIENCE_MS = 2_000
const MAX_WARNING_WIDTH = 500

export const inboxDrain: Command<HotPostern> = {
  ...DRAIN_FORM,
  run: (io, args) => drainAs(io, args, fenced),
}

/** Puts what was drained into the form in which it is printed. */
export type Format = (io: Io<HotPostern>, drained: Drained) => string

export async function drainAs(io: Io<HotPostern>, args: Args, format: Format): Promise<undefined> {
  const bounds = drainOptions(io, args, format === fenced)
  const postern = await io.open()
  const agent = await requireOwnAgent(io, args, postern)
  const sessionId = args.get('session')
  if (sessionId !== undefined) await ingestSpoolOf(io, postern, { agent, sessionId })
  const drained = await postern.inbox.drain({ agent, via: 'cli', ...bounds })
  const { messages, remaining } = drained
  await showThenConfirm(postern, drained, io.isJson ? formatJson({ messages, remaining }) : format(io, drained))
}

/** What is wrong with a spool keeps nobody from what the store holds; it stays where it is until that is mended. */
async function ingestSpoolOf(
  io: Io<HotPostern>,
  postern: HotPostern,
  session: { readonly agent: string; readonly sessionId: string },
): Promise<void> {
  const { ingestSpool, projectRoot, SpoolError } = await import('../../../host/spool.ts')
  try {
    await ingestSpool(postern, { ...session, root: projectRoot(process.cwd()), patienceMs: SPOOL_PATIENCE_MS })
  } catch (error) {
    if (!(error instanceof SpoolError)) throw error
    io.stderr.line(`postern: ${showField(error.message, MAX_WARNING_WIDTH)}`)
  }
}

/**
 * Prints, and only then says that it was printed. If the reader has gone or the disk is full, the messages are given
 * back at once; if this process dies in between, their offer lapses by itself.
 */
async function showThenConfirm(postern: HotPostern, { offer }: Drained, text: string): Promise<void> {
  try {
    if (text !== '') await writeWhole(STDOUT, `${text}\n`)
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown'
    if (offer) await postern.inbox.release({ offerId: offer.id, reason: `the output could not be written (${reason})` })
    throw new PosternError('OUTPUT_FAILED', { reason }, { cause: error })
  }
  if (offer) await postern.inbox.confirm({ offerId: offer.id, printed: true, evidence: 'its output was taken whole' })
}

const fenced: Format = (io, drained) => {
  const text = renderDrain(drained, { nonce: randomToken(NONCE_LENGTH), style: 'terminal' })
  return io.stdout.isTerminal ? foldLines(text, io.stdout.columns) : text
}

/** Room is measured for the fence. */
function drainOptions(io: Io<HotPostern>, args: Args, isFenced: boolean) {
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
