import type { JudgeGates, Judgement } from '../../model/gates.ts'
import type { Context } from '../context.ts'

const NO_GATES: Judgement = { strict: [], soft: [] }

/** Judges the gates of a session for a hook. Most sessions have none: then nothing else is read, or even loaded. */
export async function judgeForHook(ctx: Context, asked: JudgeGates): Promise<Judgement> {
  return (await isGated(ctx, asked)) ? (await import('./judge.ts')).judgeGatesForHook(ctx, asked) : NO_GATES
}

/** Whether any gate may hold or warn a session. */
export async function isGated(
  { sessionGates, store }: Context,
  { agent, sessionId }: { readonly agent: string; readonly sessionId: string },
): Promise<boolean> {
  return sessionGates.length > 0 || store.read.sessions.isGated({ agent, sessionId })
}
