import { asPosternError } from '../../../model/errors.ts'
import type { Postern } from '../../../model/postern.ts'
import { as, BUS, type Name, note, PERSON, readMail, rest, SPACE } from './cast.ts'

/** What goes on before the eyes of whoever looks. */
export interface Play {
  /** Lets the act under way end, and begins no other. Safe twice. */
  stop(): Promise<void>
}

const PAUSE_MS = 2_500
/** Nobody reads more than this, and the scene may go on for hours. */
const MOST_WAITING = 40

type Act = (postern: Postern, round: number) => Promise<void>

const SAID = [
  'The totals agree with last year’s to the cent.',
  'I see one test less than yesterday. Who removed it?',
  'That was me: it tested the basket, which is gone.',
  'Prices are in. Robin, can you look?',
  'I shall, after lunch.',
] as const

/** One after the other, and then from the beginning. */
const ACTS: readonly Act[] = [
  (postern) => work(postern, 'quinn'),
  (postern, round) => say(postern, (['quinn', 'mindy', 'tess'] as const)[round % 3] ?? 'quinn', round),
  (postern) => mail(postern, 'quinn', 'mindy', 'Another look, please', 'I moved the rounding to one place.'),
  (postern) => work(postern, 'mindy'),
  (postern, round) => observe(postern, round),
  (postern) => rest(postern, 'mindy'),
  (postern, round) => report(postern, round),
  (postern) => work(postern, 'tess'),
  (postern) => mail(postern, 'mindy', 'quinn', 'Looks good', 'One name is odd, see my remark.'),
  (postern) => rest(postern, 'tess'),
]

/** Something happens every few seconds, until it is stopped. */
export function playPresent(postern: Postern, note: (reason: string) => void): Play {
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let acting = Promise.resolve()
  const act = (at: number) => {
    const next = ACTS[at % ACTS.length]
    acting = (next?.(postern, Math.floor(at / ACTS.length)) ?? Promise.resolve())
      .catch((error: unknown) => note(asPosternError(error).message))
      .then(() => {
        if (!isStopped) timer = setTimeout(act, PAUSE_MS, at + 1)
      })
  }
  timer = setTimeout(act, PAUSE_MS, 0)
  return {
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await acting
    },
  }
}

async function work(postern: Postern, name: Name): Promise<void> {
  await note(postern, name, 'prompt.submit')
  await readMail(postern, name, { isDealtWith: true })
}

async function mail(postern: Postern, from: Name, to: Name, subject: string, content: string): Promise<void> {
  await as(postern, from).inbox.push({ to: [to], type: 'mail', subject, content })
}

async function say(postern: Postern, name: Name, round: number): Promise<void> {
  await as(postern, name).spaces.post({ id: SPACE, content: SAID[round % SAID.length] ?? '' })
}

async function observe(postern: Postern, round: number): Promise<void> {
  const body = `Run ${round + 1} of the long tests: ${180 + (round % 7)} of ${187} are green.`
  await as(postern, 'mindy').bus.post({ ...BUS, type: 'OBSERVATION', issue_id: 'HB-2', body })
}

/** The person hears of what is worth it, unless they have stopped to read. */
async function report(postern: Postern, round: number): Promise<void> {
  const { pending } = await postern.agents.show({ id: PERSON })
  if (pending >= MOST_WAITING) return
  const subject = `Long tests, run ${round + 1}`
  await mail(postern, 'quinn', PERSON, subject, 'Nothing to do for you; the numbers are on the bus.')
}
