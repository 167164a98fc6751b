import { type AttachedFile, attachFile } from '../../../host/bus/attach-file.ts'
import { BUS } from '../../../host/config/bus.ts'
import type { PostedEntry } from '../../../model/bus/bus.ts'
import { placeName } from '../../../model/bus/place.ts'
import { showField } from '../../../render/terminal.ts'
import type { Args, Command, Io } from '../../shell/command.ts'
import { answer } from '../../shell/print.ts'
import { readBody } from './body.ts'
import { openPosternForBus, PLACE_OPTIONS, type PosternForBus } from './place.ts'
import { parseAttach, readHeader } from './post-input.ts'

const MAX_LINE = 1_000

export const busPost: Command = {
  path: 'bus post',
  summary: 'Write an entry on the bus of a project or a task.',
  operands: '[body]',
  options: [
    ...PLACE_OPTIONS,
    { name: 'type', value: '<type>', summary: 'FACT, QUESTION, ANSWER, ISSUE, INFO, … (default USER)' },
    { name: 'body', value: '<text>', summary: 'what it says; or as the argument, "-" for stdin' },
    { name: 'body-file', value: '<file>', summary: 'what it says is in this file' },
    { name: 'run', value: '<id>', summary: 'the run it belongs to (default: the one you are in)' },
    { name: 'issue', value: '<id>', summary: 'the issue it is about, or begins' },
    {
      name: 'parent',
      value: '<id[:kind]>',
      multiple: true,
      summary: 'an entry or an issue it relates to, such as ISSUE-1:depends_on',
    },
    {
      name: 'attach',
      value: '<file[,kind=…]>',
      multiple: true,
      summary: 'a file that is kept with it; also ,label=… and ,mime=…',
    },
    { name: 'link', value: '<kind=place>', multiple: true, summary: 'a path or an address it points to' },
    {
      name: 'meta',
      value: '<key=value>',
      multiple: true,
      summary: 'more about it, such as status=done; JSON is taken as such',
    },
    { name: 'to', value: '<agents>', multiple: true, summary: 'also tell these agents in their inboxes' },
    {
      name: 'ask',
      value: '<people>',
      multiple: true,
      summary: 'of a QUESTION: ask them, and be held until they answer',
    },
    { name: 'option', value: '<key=label>', multiple: true, summary: 'a possible answer to it; repeat it' },
    { name: 'select', value: '<key>', summary: 'of an ANSWER: the option that is chosen' },
    { name: 'agent', value: '<agent>', summary: 'your own agent' },
  ],
  examples: [
    'postern bus post --project conductor-loop --task task-docs --type FACT "The build is green."',
    'git log -1 | postern bus post --type INFO --link commit=https://example.com/c/1',
    'postern bus post --type ISSUE --issue ISSUE-2 --parent ISSUE-1:depends_on "Update the tests"',
  ],

  async run(io, args) {
    const header = readHeader(busPost, args)
    const body = await readBody(busPost, args)
    const bus = await openPosternForBus(io, args)
    const { runId } = bus.context
    const attached = await attachAll(io, args, bus)
    const input = {
      ...bus.place,
      ...header,
      ...body,
      ...(runId !== undefined && { run_id: runId }),
      ...(attached.length > 0 && { attachments: attached.map(({ attachment }) => attachment) }),
    }
    const posted = await bus.postern.bus.post(input).catch((error: unknown) => {
      // What was copied for an entry that was never written belongs to nothing.
      for (const { undo } of attached) undo()
      throw error
    })
    for (const warning of posted.warnings) io.stderr.line(`postern: ${showField(warning, MAX_LINE)}`)
    answer(io, posted, describe(posted, placeName(bus.place)))
    return undefined
  },
}

async function attachAll(
  io: Pick<Io, 'config'>,
  args: Args,
  { context }: PosternForBus,
): Promise<readonly AttachedFile[]> {
  const attached: AttachedFile[] = []
  const place = io.config.url === null ? { ...context, root: io.config.get(BUS).root } : undefined
  try {
    for (const text of args.all('attach')) {
      const { file, ...about } = parseAttach(text)
      attached.push(await attachFile({ file, about, bus: place }))
    }
    return attached
  } catch (error) {
    for (const { undo } of attached) undo()
    throw error
  }
}

function describe({ msg_id, messageId, decisionId }: PostedEntry, place: string): string {
  const told = messageId === null ? [] : [`told by ${messageId}`]
  const asked = decisionId === null ? [] : [`decision ${decisionId}`]
  return `Posted: ${[`${msg_id} on ${place}`, ...told, ...asked].join(', ')}`
}
