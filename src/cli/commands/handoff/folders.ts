import { showField } from '../../../render/terminal.ts'
import type { Command } from '../../shell/command.ts'
import { answer, counted } from '../../shell/print.ts'
import { requireDuration } from '../../shell/times.ts'
import { PLACE_OPTIONS, placeIn } from './place.ts'

const MAX_LINE = 1_000
const DEFAULT_AGE = '30d'

export const handoffInit: Command = {
  path: 'handoff init',
  isForPeople: true,
  summary: 'Make the folders in which sessions of a project leave items for the next.',
  options: PLACE_OPTIONS,

  async run(io, args) {
    const postern = await io.open()
    const folders = await postern.handoff.init(placeIn(args))
    const { root, made } = folders
    const text = made.length === 0 ? `All is there already in ${root}` : `Made in ${root}: ${made.join(', ')}`
    answer(io, folders, showField(text, MAX_LINE))
    return undefined
  },
}

export const handoffClean: Command = {
  path: 'handoff clean',
  isForPeople: true,
  summary: 'Remove what was inherited long ago.',
  options: [
    { name: 'older-than', value: '<duration>', summary: `only what is older (default ${DEFAULT_AGE})` },
    ...PLACE_OPTIONS,
  ],
  examples: ['postern handoff clean --older-than 30d'],

  async run(io, args) {
    const olderThanMs = requireDuration(args.get('older-than') ?? DEFAULT_AGE)
    const postern = await io.open()
    const cleaned = await postern.handoff.clean({ ...placeIn(args), olderThanMs })
    answer(io, cleaned, `Removed: ${counted(cleaned.removed.length, 'file')}.`)
    return undefined
  },
}
