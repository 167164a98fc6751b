import type { Postern } from '../../../model/postern.ts'
import type { Io } from '../../shell/command.ts'
import { answer } from '../../shell/print.ts'
import { publishOwn } from './publishing.ts'
import { withLabel } from './shown.ts'

interface Listing<T> {
  readonly items: readonly T[]
  readonly table: (io: Io, items: readonly T[]) => string
  /** What is said where there are none. */
  readonly none: string
}

export async function answerList<T>(io: Io, postern: Postern, { items, table, none }: Listing<T>): Promise<undefined> {
  const { ledger } = await postern.ledger.status()
  const text = items.length === 0 ? withLabel([none], ledger) : `${table(io, items)}\n${withLabel([], ledger)}`
  answer(io, { ledger, items, next: null }, text)
  return undefined
}

/** Answers with what has been changed, and publishes what follows from it. */
export async function answerChange<T extends object>(
  io: Io,
  change: (postern: Postern) => Promise<T>,
  describe: (changed: T) => string,
): Promise<undefined> {
  const postern = await io.open()
  const changed = await change(postern)
  const { ledger } = await postern.ledger.status()
  answer(io, { ledger, ...changed }, withLabel([describe(changed)], ledger))
  await publishOwn(io, ledger)
  return undefined
}
