import type { SendMessage, SentMessage, SentMessages } from '../../../model/ledger/ledgers.ts'
import type { Args, Command, Form, Io, Option } from '../../shell/command.ts'
import { usage } from '../../shell/parse.ts'
import { answer } from '../../shell/print.ts'
import { jsonIn, OWN_AGENT_OPTION, PRIORITY, priorityIn, refTypeIn, saidIn } from '../ledger/input.ts'
import { publishOwn } from '../ledger/publishing.ts'
import { describePlace, withLabel } from '../ledger/shown.ts'

const DEFAULT_TYPE = 'fyi'

const SEND_OPTIONS: readonly Option[] = [
  { name: 'subject', value: '<text>', summary: 'one line that says what it is about' },
  { name: 'type', value: '<type>', summary: `feedback, fyi, review.request, … (default ${DEFAULT_TYPE})` },
  PRIORITY,
  { name: 'payload', value: '<json>', summary: 'structured content, instead of a text' },
  { name: 'context', value: '<json>', summary: 'whatever else is worth knowing' },
  { name: 'ref-id', value: '<id>', summary: 'what it is about: a topic, or any other name' },
  { name: 'ref-type', value: '<type>', summary: 'task, phase, stage, project or agent' },
  { name: 'dedup-key', value: '<key>', summary: 'sent again under the same key, it is the same message' },
  OWN_AGENT_OPTION,
]

export const messageSend: Command = {
  path: 'message send',
  summary: 'Send a message to an agent or a person: on the record of its topic, and into its inbox.',
  operands: '<to> [text]',
  options: SEND_OPTIONS,
  examples: [
    'postern message send mindy --subject "The build is blocked" --type feedback --priority 1 "No runner is free."',
    'postern message send ALL --subject "Release at noon" --ref-id PROJ-12 --ref-type task',
    'git log -3 | postern message send quinn --subject "Please review" --type review.request -',
  ],

  async run(io, args) {
    const message = await readMessage(messageSend, io, args)
    const postern = await io.open()
    const sent = await postern.messages.send(message)
    answer(io, sent, describe(sent))
    await publishOwn(io, sent.ledger)
    return undefined
  },
}

export const messageInbox: Command = {
  path: 'message inbox',
  summary: 'Send a message into an inbox only: nothing is published.',
  operands: '<to> [text]',
  options: SEND_OPTIONS,
  examples: ['postern message inbox justin --subject "The nightly job is done" --type system'],

  async run(io, args) {
    const message = await readMessage(messageInbox, io, args)
    const postern = await io.open()
    const sent = await postern.messages.sendInbox(message)
    answer(io, sent, describe(sent))
    return undefined
  },
}

async function readMessage(form: Form, io: Io, args: Args): Promise<SendMessage> {
  const [to = '', typed] = args.operands
  const subject = args.get('subject')
  if (subject === undefined) throw usage(form, '--subject is missing')
  const [payload, context] = [jsonIn(form, args, 'payload'), jsonIn(form, args, 'context')]
  if (payload !== undefined && typed !== undefined)
    throw usage(form, 'The content is given twice, as text and by --payload')
  const text = await saidIn(io, typed)
  const [refId, key] = [args.get('ref-id'), args.get('dedup-key')]
  return {
    to_agent: to,
    message_type: args.get('type') ?? DEFAULT_TYPE,
    subject,
    ...(payload !== undefined && { payload }),
    ...(text !== undefined && { payload: { text } }),
    ...(context !== undefined && { context }),
    ...(refId !== undefined && { ref_id: refId }),
    ...refTypeIn(form, args),
    ...priorityIn(args),
    ...(key !== undefined && { dedup_key: key }),
  }
}

function describe({ ledger, messages }: SentMessages): string {
  const lines = messages.length === 0 ? ['There is nobody to send it to.'] : messages.map(describeOne)
  return withLabel(lines, ledger)
}

function describeOne(sent: SentMessage): string {
  const { message_id, to_agent, duplicate, in_inbox, held, topic_id, sequence, parcel } = sent
  const inbox = held ? 'held' : in_inbox ? 'in the inbox' : 'in the inbox when its entry comes'
  const said = `${duplicate ? 'Already sent' : 'Sent'}: ${message_id} to ${to_agent}`
  return `${said}, ${inbox}, ${describePlace(topic_id, sequence, parcel)}`
}
