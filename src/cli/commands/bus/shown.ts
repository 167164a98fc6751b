import type { BusPage, ReadBus } from '../../../model/bus/bus.ts'
import type { BusEntry, BusPlace } from '../../../model/bus/entry.ts'
import { renderBusEntry } from '../../../render/bus-entry.ts'
import { foldLines } from '../../../render/terminal.ts'
import type { Args, Io, Option } from '../../shell/command.ts'
import { counted } from '../../shell/print.ts'
import { placeFlags } from './place.ts'

/** Which entries are wanted. */
export const ENTRY_OPTIONS: readonly Option[] = [
  { name: 'after', value: '<id>', summary: 'only what comes after this entry' },
  { name: 'type', value: '<types>', multiple: true, summary: 'only these, such as QUESTION,ANSWER' },
  { name: 'issue', value: '<id>', summary: 'only entries of this issue' },
  { name: 'run', value: '<id>', summary: 'only entries of this run' },
  { name: 'merged', summary: 'the bus of the task and that of its project in one, by time' },
]

export const GAP = '(the entry that was last read is gone or not unique: others may be missing)'

export function wantedBy(args: Args, place: BusPlace): ReadBus {
  const [after, issue_id, run_id] = [args.get('after'), args.get('issue'), args.get('run')]
  const types = args.all('type').flatMap((list) => list.split(','))
  return {
    ...place,
    ...(after !== undefined && { after }),
    ...(types.length > 0 && { types }),
    ...(issue_id !== undefined && { issue_id }),
    ...(run_id !== undefined && { run_id }),
    ...(args.has('merged') && { merged: true }),
  }
}

/** Entries for people; what a terminal would wrap is folded. */
export function showEntries(io: Pick<Io, 'stdout'>, items: readonly BusEntry[], namesBus: boolean): string {
  const text = items.map((entry) => renderBusEntry(entry, { namesBus })).join('\n')
  return io.stdout.isTerminal ? foldLines(text, io.stdout.columns) : text
}

/** What was left out is told to whoever reads, but is no part of the answer. */
export function tellFaults(io: Pick<Io, 'stderr'>, { faults }: Pick<BusPage, 'faults'>, args: Args): void {
  if (faults.length === 0) return
  const parts = `${counted(faults.length, 'part')} of the file ${faults.length === 1 ? 'is no entry' : 'are no entries'}`
  io.stderr.line(`${parts} and left out: "postern bus verify${placeFlags(args)}" tells more`)
}
