import type { Note, NotePage, PostedNote } from '../../../model/ledger/ledgers.ts'
import { showBlock } from '../../../render/terminal.ts'
import type { Command, Io } from '../../shell/command.ts'
import { usage } from '../../shell/parse.ts'
import { answer, folded } from '../../shell/print.ts'
import {
  entityIn,
  namesIn,
  OWN_AGENT_OPTION,
  PAGE_OPTIONS,
  PRIORITY,
  pageIn,
  priorityIn,
  saidIn,
} from '../ledger/input.ts'
import { publishOwn } from '../ledger/publishing.ts'
import { describePlace, showConsensusTime, shownLines, withLabel } from '../ledger/shown.ts'

const TYPE = { name: 'type', value: '<type>', summary: 'task, phase, stage or project, where the name does not say it' }

export const notePost: Command = {
  path: 'note post',
  summary: 'Post a note to a task, phase, stage or project, and tell those whom it names.',
  operands: '<entity> [text]',
  options: [
    TYPE,
    { name: 'notify', value: '<agents>', multiple: true, summary: 'who is told; separate by commas, or repeat it' },
    PRIORITY,
    OWN_AGENT_OPTION,
  ],
  examples: [
    'postern note post task:PROJ-12 --notify mindy,justin "The schema is settled."',
    'postern note post 0.0.1005 --type task - < findings.md',
  ],

  async run(io, args) {
    const entity = entityIn(notePost, args)
    const notify = namesIn(args, 'notify')
    const note = await saidIn(io, args.operands[1])
    if (note === undefined) throw usage(notePost, 'The text is missing; "-" reads it from stdin')
    const postern = await io.open()
    const posted = await postern.notes.post({
      ...entity,
      note,
      ...(notify.length > 0 && { notify }),
      ...priorityIn(args),
    })
    answer(io, posted, withLabel(describePosted(posted), posted.ledger))
    await publishOwn(io, posted.ledger)
    return undefined
  },
}

/** Where it stands, who is told and who could not be. */
export function describePosted({
  entity,
  topic_id,
  sequence,
  parcel,
  notified,
  skipped,
}: PostedNote): readonly string[] {
  const told = notified.length === 0 ? '' : `; told: ${notified.join(', ')}`
  return [
    `Posted: ${entity}, ${describePlace(topic_id, sequence, parcel)}${told}`,
    ...(skipped.length === 0 ? [] : [`Not registered, and therefore not told: ${skipped.join(', ')}`]),
  ]
}

export const noteList: Command = {
  path: 'note list',
  isForAnyone: true,
  summary: 'List the notes of a task, phase, stage or project, oldest first.',
  operands: '<entity>',
  options: [TYPE, ...PAGE_OPTIONS],
  examples: ['postern note list task:PROJ-12'],

  async run(io, args) {
    const input = { ...entityIn(noteList, args), ...pageIn(noteList, args) }
    const postern = await io.open()
    const page = await postern.notes.list(input)
    answer(io, page, describePage(io, page))
    return undefined
  },
}

function describePage(io: Io, { ledger, notes, next }: NotePage): string {
  const shown = notes.length === 0 ? ['No notes.'] : notes.map((note) => showNote(io, note))
  return [...shown, withLabel(next === null ? [] : [`More: --after ${next}`], ledger)].join('\n')
}

function showNote(io: Io, { sequence, consensus_at, from_agent, verified, payer, notify, note }: Note): string {
  const who = verified ? from_agent : `${from_agent} (unverified, from ${payer})`
  const told = notify.length === 0 ? '' : ` to ${notify.join(', ')}`
  const head = shownLines([`${sequence} · ${showConsensusTime(consensus_at)} · ${who}${told}`])
  return folded(io, [...head, showBlock(note)].join('\n'))
}
