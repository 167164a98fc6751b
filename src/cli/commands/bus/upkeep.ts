import type { BusFault, BusVerification } from '../../../model/bus/bus.ts'
import { placeName } from '../../../model/bus/place.ts'
import { EXIT } from '../../../model/errors.ts'
import { showField } from '../../../render/terminal.ts'
import type { Command, Form } from '../../shell/command.ts'
import { usage } from '../../shell/parse.ts'
import { answer, counted } from '../../shell/print.ts'
import { openPosternForBus, PLACE_OPTIONS } from './place.ts'

const MAX_LINE = 1_000

export const busVerify: Command = {
  path: 'bus verify',
  isForAnyone: true,
  summary: 'Read all of a bus and tell what is wrong with it; fails where something is.',
  options: PLACE_OPTIONS,

  async run(io, args) {
    const { postern, place } = await openPosternForBus(io, args)
    const verification = await postern.bus.verify(place)
    answer(io, verification, describe(verification))
    return verification.isSound ? undefined : EXIT.failed
  },
}

function describe(verification: BusVerification): string {
  const { isSound, isSorted, entries, bytes, files, faults } = verification
  const sizes = [counted(entries, 'entry', 'entries'), counted(bytes, 'byte'), counted(files.length, 'file')]
  const lines = [
    `${placeName(verification)}: ${isSound ? 'sound' : 'damaged'}, ${sizes.join(', ')}`,
    ...faults.map(describeFault),
    ...(isSorted ? [] : ['The ids do not rise from entry to entry, so that cursors are found by reading.']),
  ]
  return lines.map((line) => showField(line, MAX_LINE)).join('\n')
}

function describeFault({ file, offset, bytes, msg_id, reason }: BusFault): string {
  const which = msg_id === undefined ? '' : ` (${msg_id})`
  return `  ${file}, ${counted(bytes, 'byte')} from byte ${offset} on${which}: ${reason}`
}

export const busRotate: Command = {
  path: 'bus rotate',
  isForPeople: true,
  summary: 'Set aside what a bus holds as an archive beside it, so that its file begins anew.',
  options: [
    ...PLACE_OPTIONS,
    { name: 'over', value: '<size>', summary: 'only where the file is larger, such as 64MB' },
  ],
  examples: ['postern bus rotate --project conductor-loop --over 64MB'],

  async run(io, args) {
    const over = args.get('over')
    const overBytes = over === undefined ? undefined : parseSize(busRotate, over)
    const { postern, place } = await openPosternForBus(io, args)
    const rotation = await postern.bus.rotate({ ...place, ...(overBytes !== undefined && { overBytes }) })
    const { archive, bytes } = rotation
    const why = overBytes === undefined ? 'it is empty' : `it has ${counted(bytes, 'byte')}`
    answer(
      io,
      rotation,
      archive === null ? `Nothing was set aside: ${why}.` : `Set aside: ${archive} with ${counted(bytes, 'byte')}.`,
    )
    return undefined
  },
}

const UNITS: Readonly<Record<string, number>> = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 }

/** `64MB`, `64 MiB`, `1G`, or a number of bytes. */
export function parseSize(form: Form, text: string): number {
  const match = /^(\d{1,12}(?:\.\d{1,3})?) ?([KMG]?)(?:i?B)?$/i.exec(text.trim())
  const unit = UNITS[match?.[2]?.toUpperCase() ?? '']
  if (!match || unit === undefined) throw usage(form, '--over takes a size, such as 64MB')
  return Math.floor(Number(match[1]) * unit)
}
