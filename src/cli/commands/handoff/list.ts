import type { HandoffListing, ListedItem } from '../../../model/handoff/handoff.ts'
import type { HandoffItem } from '../../../model/handoff/item.ts'
import { word } from '../../../render/handoff.ts'
import { showBlock, showField } from '../../../render/terminal.ts'
import type { Command, Io } from '../../shell/command.ts'
import { answer, counted, folded } from '../../shell/print.ts'
import { formatTable } from '../../shell/table.ts'
import { PLACE_OPTIONS, placeIn } from './place.ts'

const MAX_LINE = 1_000

export const handoffList: Command = {
  path: 'handoff list',
  isForAnyone: true,
  summary: 'List what waits for the next session, in the order in which it is inherited.',
  options: [{ name: 'processed', summary: 'what was inherited instead, the latest first' }, ...PLACE_OPTIONS],

  async run(io, args) {
    const postern = await io.open()
    const isProcessed = args.has('processed')
    const listing = await postern.handoff.list({ ...placeIn(args), ...(isProcessed && { processed: true }) })
    answer(io, listing, [...itemLines(io, listing, isProcessed), ...notes(listing)].join('\n'))
    return undefined
  },
}

function itemLines(io: Io, { items }: HandoffListing, isProcessed: boolean): readonly string[] {
  if (items.length === 0) return [isProcessed ? 'Nothing was inherited yet.' : 'No inheritance items']
  const header = ['BOX', 'NAME', 'TYPE', 'PRIORITY', 'FROM', 'TOKENS', 'STATE', 'TEXT']
  return [
    formatTable(
      header,
      items.map((item) => rowOf(item, isProcessed)),
      io.stdout.columns,
    ),
  ]
}

function rowOf(item: ListedItem, isProcessed: boolean): readonly string[] {
  const { name, box, type, priority, from_session, tokens, isOffered, body } = item
  const state = isProcessed ? 'inherited' : isOffered ? 'being shown' : 'waits'
  return [box, name, type ?? 'raw', priority, from_session ?? '', String(tokens), state, body.trim()]
}

function notes({ refused, averageTokens, inheritances, isInitialised }: HandoffListing): readonly string[] {
  const lines = [
    ...refused.map(({ name, reason }) => `Not read: ${word(name)} (${reason})`),
    ...(averageTokens === null
      ? []
      : [
          `Cost so far: about ${Math.round(averageTokens)} tokens on average over ${counted(inheritances, 'inheritance')}`,
        ]),
    ...(isInitialised ? [] : ['No handoff is set up here yet: "postern handoff init" does it.']),
  ]
  return lines.map((line) => showField(line, MAX_LINE))
}

export const handoffShow: Command = {
  path: 'handoff show',
  isForAnyone: true,
  summary: 'Show one item in full, whether it waits or was inherited.',
  operands: '<name>',
  options: PLACE_OPTIONS,
  examples: ['postern handoff show 1736528400-01jh7x2m4q8r-learning.md'],

  async run(io, args) {
    const postern = await io.open()
    const item = await postern.handoff.show({ ...placeIn(args), name: args.operands[0] ?? '' })
    const { box, name, body } = item
    const lines = [`${word(box)}/${word(name)}`, ...fieldsOf(item), ...(body === '' ? [] : [showBlock(body)])]
    answer(io, item, folded(io, lines.join('\n')))
    return undefined
  },
}

/** One quoted line for each field that is set, as the file has them. */
function fieldsOf({ name: _name, box: _box, body: _body, extra, ...fields }: HandoffItem): readonly string[] {
  const set = Object.entries({ ...fields, ...extra }).filter(([, value]) => value !== null)
  return set.map(([key, value]) => showBlock(showField(`${key}: ${value}`, MAX_LINE)))
}
