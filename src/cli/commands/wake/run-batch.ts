import type { CommandResult } from '../../../agent/wake.ts'
import { workingFolder } from '../../../host/config/working-folder.ts'
import { ingestSpool, projectRoot, SpoolError } from '../../../host/spool.ts'
import { randomToken } from '../../../kit/node/crypto.ts'
import type { Drained, Postern } from '../../../model/postern.ts'
import { renderDrain } from '../../../render/drain.ts'
import { showField } from '../../../render/terminal.ts'
import type { Io } from '../../shell/command.ts'
import { formatJson } from '../../shell/json.ts'
import type { Stopper } from '../../shell/stop-signals.ts'
import { type FedOutcome, startCommand } from './fed-command.ts'

const NONCE_LENGTH = 12
const SPOOL_PATIENCE_MS = 2_000
const MAX_WARNING_WIDTH = 500

export interface BatchRun {
  readonly agent: string
  readonly sessionId: string
  readonly batch: Drained
  readonly taken: () => void
  readonly stopper: Stopper
}

/** Runs the command with a batch on its input. Signals that come meanwhile are passed on to it. */
export async function runBatch(
  io: Io,
  words: readonly string[],
  { agent, sessionId, batch, taken, stopper }: BatchRun,
): Promise<CommandResult> {
  const { messages, remaining } = batch
  const text = io.isJson
    ? formatJson({ messages, remaining })
    : renderDrain(batch, { nonce: randomToken(NONCE_LENGTH) })
  const env = { ...process.env, ...placesOf(io.config), POSTERN_AGENT: agent, POSTERN_SESSION: sessionId }
  const command = startCommand({ words, env, input: `${text}\n`, onTaken: taken })
  const forget = stopper.onSignal(command.kill)
  const outcome = await command.ended
  forget()
  return judge(words[0] ?? '', outcome)
}

/** Whatever the command asks of Postern it asks of the same one. */
function placesOf({ home, store, url, origins }: Io['config']): Record<string, string> {
  if (origins.url === '--url' && url !== null) return { POSTERN_HOME: home, POSTERN_URL: url }
  return { POSTERN_HOME: home, ...(origins.store === '--store' && { POSTERN_STORE: store, POSTERN_URL: '' }) }
}

function judge(program: string, { exitCode, signal, isTaken, failure }: FedOutcome): CommandResult {
  if (failure !== null) {
    return { isDone: false, evidence: `the command ${program} cannot be started (${failure})`, isHopeless: true }
  }
  if (exitCode !== 0) return { isDone: false, evidence: `the command ended with ${exitCode ?? signal}` }
  if (!isTaken) return { isDone: false, evidence: 'the command ended with 0 without having read its input' }
  return { isDone: true, evidence: 'the command that was run with it ended with 0' }
}

/** What is wrong with a spool keeps nobody from what the store holds. */
export async function gatherSpool(
  io: Io,
  postern: Postern,
  { agent, sessionId }: { readonly agent: string; readonly sessionId: string | undefined },
): Promise<void> {
  if (sessionId === undefined) return
  try {
    const root = projectRoot(workingFolder())
    await ingestSpool(postern, { agent, sessionId, root, patienceMs: SPOOL_PATIENCE_MS })
  } catch (error) {
    if (!(error instanceof SpoolError)) throw error
    say(io, error.message)
  }
}

export function say(io: Io, text: string): void {
  io.stderr.line(`postern: ${showField(text, MAX_WARNING_WIDTH)}`)
}
