import { reasonOf } from '../../kit/pure/reason-of.ts'
import { PosternError } from '../../model/errors.ts'
import type { Faults } from './faults.ts'
import type { Patience } from './patience.ts'

/** Asks a mirror over HTTP, which is somebody else's machine: whatever it says is looked at before it counts. */
export interface MirrorRest {
  /** The JSON object at a path; undefined where there is none. Throws LEDGER_UNREACHABLE. */
  get(path: string): Promise<Found>
  /** The same for an id that anybody may have written: what the mirror takes for no id is not there either. */
  lookUp(path: string): Promise<Found>
}

type Found = Readonly<Record<string, unknown>> | undefined

export interface MirrorRestOptions {
  readonly url: string
  readonly faults: Faults
  readonly patience: () => Patience
  readonly signal: AbortSignal
}

/** A hundred messages with all that stands around them are a fifth of it. */
const ANSWER_BYTES = 2 * 1024 * 1024
const LONGEST_WAIT_MS = 60_000

type Answer =
  | { readonly kind: 'found'; readonly value: Readonly<Record<string, unknown>> }
  | { readonly kind: 'absent' }
  | { readonly kind: 'later'; readonly reason: string; readonly waitMs: number }
  | { readonly kind: 'refused'; readonly reason: string; readonly status: number }

export function createMirrorRest({ url, faults, patience, signal }: MirrorRestOptions): MirrorRest {
  const base = url.replace(/\/+$/, '')
  async function answerTo(path: string): Promise<Answer> {
    const patient = patience()
    for (;;) {
      const answer = await ask(base + path, AbortSignal.any([signal, AbortSignal.timeout(patient.callMs)]))
      if (answer.kind !== 'later' || !(await patient.again(answer.waitMs))) return answer
    }
  }

  function found(answer: Answer): Found {
    if (answer.kind === 'found') return answer.value
    if (answer.kind === 'absent') return undefined
    throw faults.unreachable(`the mirror ${answer.reason}`)
  }

  return {
    get: async (path) => found(await answerTo(path)),
    async lookUp(path) {
      const answer = await answerTo(path)
      return answer.kind === 'refused' && answer.status === BAD_REQUEST ? undefined : found(answer)
    },
  }
}

const BAD_REQUEST = 400

async function ask(url: string, signal: AbortSignal): Promise<Answer> {
  try {
    const response = await fetch(url, { headers: { accept: 'application/json' }, redirect: 'error', signal })
    if (response.ok) return { kind: 'found', value: parseObject(await readBounded(response)) }
    await response.body?.cancel()
    return refusal(response)
  } catch (error) {
    if (error instanceof PosternError) throw error
    return { kind: 'later', reason: `gives no good answer: ${reasonOf(error)}`, waitMs: 0 }
  }
}

/** What was asked wrongly is asked wrongly again; everything else may pass. */
function refusal({ status, headers }: Response): Answer {
  if (status === 404) return { kind: 'absent' }
  const reason = `answers with ${status}`
  const isPassing = status === 408 || status === 425 || status === 429 || status >= 500
  return isPassing ? { kind: 'later', reason, waitMs: retryAfter(headers) } : { kind: 'refused', reason, status }
}

/** Seconds, or a date. */
function retryAfter(headers: Headers): number {
  const written = headers.get('retry-after')
  if (written === null) return 0
  const ms = /^\d{1,6}$/.test(written) ? Number(written) * 1_000 : Date.parse(written) - Date.now()
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), LONGEST_WAIT_MS) : 0
}

async function readBounded(response: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of response.body ?? []) {
    length += piece.length
    if (length > ANSWER_BYTES) throw new Error(`it has more than ${ANSWER_BYTES} bytes`)
    pieces.push(piece)
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces))
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('it is not an object')
  return value as Readonly<Record<string, unknown>>
}
