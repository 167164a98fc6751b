import { readSpoolWithoutStore, rememberShown } from '../host/spool.ts'
import { writeWhole } from '../kit/node/output.ts'
import { PosternError } from '../model/errors.ts'
import type { Limits } from '../model/limits.ts'
import { renderDrain } from '../render/drain.ts'
import type { SoundEvent } from './call.ts'
import type { HookSettings } from './handler.ts'
import type { Host } from './hosts/host.ts'
import type { ShadowFile } from './shadow.ts'
import { answerWithoutStore, mayHold } from './unavailable.ts'

export interface AbsentStore {
  readonly event: SoundEvent
  readonly host: Host
  readonly agent: string
  readonly root: string
  readonly settings: HookSettings
  readonly shadow: ShadowFile
  /** What kept us from the store. */
  readonly error: unknown
  /** Absent where the configuration could not be read either. */
  readonly limits?: Limits
}

const STDOUT = 1
const SPOOL_PATIENCE_MS = 200
const EVIDENCE = 'shown while the store was away'

/** Answers from what lies beside the store: the session's shadow, and the copies in its spool. */
export async function answerInAbsence(absent: AbsentStore): Promise<void> {
  const { event, host, settings, shadow, error } = absent
  const { stopCap } = settings
  const before = shadow.read()
  const copies = mayHold(event, before, stopCap) ? await takeCopies(absent) : undefined
  const why = error instanceof PosternError ? error.code : 'INTERNAL'
  const now = Date.now()
  const { answer, shadow: after } = answerWithoutStore(event, before, { why, now, stopCap, showsCopies: !!copies })
  shadow.write(after)
  const text = host.render(event, copies ? { ...answer, context: copies.text } : answer)
  if (text !== '') await writeWhole(STDOUT, `${text}\n`, { pipeGraceMs: 0 })
  if (copies) {
    const { sessionId } = event
    await rememberShown({ sessionId, root: absent.root, names: copies.names, evidence: EVIDENCE })
  }
}

interface Copies {
  readonly text: string
  readonly names: readonly string[]
}

/** What a courier has brought is shown even while the store is away, and remembered as shown. */
async function takeCopies({
  event,
  host,
  agent,
  root,
  settings,
  error,
  limits,
}: AbsentStore): Promise<Copies | undefined> {
  const maxPriority = host.drains[event.name]
  if (maxPriority === undefined || event.isSubagent || !host.injects.includes(event.name)) return undefined
  if (!limits || !isAway(error)) return undefined
  try {
    const { messages, remaining, names } = await readSpoolWithoutStore({
      agent,
      sessionId: event.sessionId,
      root,
      patienceMs: SPOOL_PATIENCE_MS,
      maxMessages: limits.drainMessages,
      maxCharacters: Math.min(host.maxCharacters, limits.drainCharacters),
      ...(host.maxTokens !== null && { maxTokens: host.maxTokens }),
      maxPriority,
    })
    if (messages.length === 0) return undefined
    return { text: renderDrain({ offer: null, messages, remaining }, { nonce: settings.nonce() }), names }
  } catch {
    return undefined
  }
}

/** A store that refuses, because there is no such agent or the session is another's, is not away. */
function isAway(error: unknown): boolean {
  return error instanceof PosternError && error.code.startsWith('STORE_')
}
