import { basename, resolve } from 'node:path'
import { sha256OfFile } from '../../../kit/node/crypto.ts'
import type { Json } from '../../../model/json.ts'
import type { Attachment } from '../../../model/message.ts'
import type { PushMessage, PushResult } from '../../../model/postern.ts'
import { parsePriority } from '../../../model/priority.ts'
import { RECEIPT_STAGES, type ReceiptStage } from '../../../model/receipt.ts'
import type { Args, Command, Io } from '../../shell/command.ts'
import { usage } from '../../shell/parse.ts'
import { answer } from '../../shell/print.ts'
import { requireDuration } from '../../shell/times.ts'

const DEFAULT_TIMEOUT = '30s'

type PushIo = Pick<Io, 'readStdin'>

export const inboxPush: Command = {
  path: 'inbox push',
  isLasting: true,
  summary: 'Store a message for an agent, several, or everybody.',
  operands: '[text]',
  options: [
    {
      name: 'to',
      value: '<agent>',
      multiple: true,
      aliases: ['bead'],
      summary: 'a recipient; repeat it, or separate by commas; or one space, as space:<id>; or all (everybody)',
    },
    { name: 'broadcast', summary: 'to everybody but you' },
    {
      name: 'type',
      value: '<type>',
      summary: 'what it is: alert, decision, event, agent, mail, gate, system, … (default agent)',
    },
    { name: 'priority', value: '<0–4>', summary: '0 critical, 1 high, 2 normal (default), 3 low, 4 fyi' },
    { name: 'subject', value: '<text>', summary: 'one line that says what it is about' },
    { name: 'ttl', value: '<duration>', summary: 'expires after, such as 10m' },
    { name: 'dedup-key', value: '<key>', summary: 'the same key to the same recipient is stored once' },
    { name: 'reply-to', value: '<id>', summary: 'the message this answers' },
    { name: 'ref', value: '<item>', summary: 'the work item it is about, such as task:PROJ-12' },
    { name: 'payload', value: '<json>', summary: 'structured data' },
    { name: 'context', value: '<json>', summary: 'further structured data' },
    { name: 'attach', value: '<file>', multiple: true, summary: 'a file, by reference and checksum' },
    { name: 'file', value: '<path>', summary: 'read the text from a file; - is stdin' },
    { name: 'create', summary: 'register unknown recipients' },
    { name: 'agent', value: '<agent>', summary: 'your own agent' },
    { name: 'wait-for', value: '<stage>', summary: 'wait until it is stored, offered, seen or acted' },
    { name: 'timeout', value: '<duration>', summary: `how long to wait (default ${DEFAULT_TIMEOUT})` },
  ],
  examples: [
    'postern inbox push --to quinn --type alert --priority 1 "CI build failed on main"',
    'postern inbox push --broadcast --type system "Maintenance in 10 minutes"',
    'postern inbox push --to quinn --ttl 10m --dedup-key ci-run-42 "CI run 42 started"',
  ],

  async run(io, args) {
    const stage = parseStage(args)
    const message = await readMessage(io, args)
    const timeoutMs = requireDuration(args.get('timeout') ?? DEFAULT_TIMEOUT)
    const postern = await io.open()
    const result = await postern.inbox.push(message)
    if (stage === undefined) {
      answer(io, result, describePush(result))
    } else {
      const receipt = await postern.inbox.waitFor({ id: result.id, stage, timeoutMs })
      answer(io, { ...result, receipt }, `${describePush(result)}, and ${stage}`)
    }
    return undefined
  },
}

function parseStage(args: Args): ReceiptStage | undefined {
  const stage = args.get('wait-for')
  if (stage === undefined || RECEIPT_STAGES.includes(stage as ReceiptStage)) return stage as ReceiptStage | undefined
  throw usage(inboxPush, `--wait-for takes ${RECEIPT_STAGES.join(', ')}`)
}

function describePush({ id, duplicate, recipients }: PushResult): string {
  const to = recipients.map(({ agent, state }) => (state === 'pending' ? agent : `${agent} (${state})`)).join(', ')
  return `${duplicate ? 'Already stored' : 'Stored'}: ${id} for ${to || 'nobody else'}`
}

async function readMessage(io: PushIo, args: Args): Promise<PushMessage> {
  const to = args.all('to').flatMap((names) => names.split(','))
  if (args.has('broadcast') && to.length > 0) throw usage(inboxPush, '--broadcast and --to exclude each other')
  const ttl = args.get('ttl')
  const attachments = await Promise.all(args.all('attach').map(attachmentOf))
  return {
    to: args.has('broadcast') ? ['all'] : to,
    content: await readContent(io, args),
    ...text(args, 'type', 'type'),
    ...text(args, 'subject', 'subject'),
    ...text(args, 'dedup-key', 'dedupKey'),
    ...text(args, 'reply-to', 'replyTo'),
    ...text(args, 'ref', 'ref'),
    ...json(args, 'payload'),
    ...json(args, 'context'),
    ...(args.has('priority') && { priority: parsePriority(args.get('priority')) }),
    ...(ttl !== undefined && { ttlMs: requireDuration(ttl) }),
    ...(attachments.length > 0 && { attachments }),
    ...(args.has('create') && { create: true }),
  }
}

async function readContent(io: PushIo, args: Args): Promise<string> {
  const [typed] = args.operands
  const file = args.get('file')
  if (typed !== undefined && file !== undefined)
    throw usage(inboxPush, 'The text is given twice, as an argument and by --file')
  if (typed === '-' || file === '-') return io.readStdin()
  if (typed !== undefined) return typed
  if (file === undefined) return ''
  const bytes = await (await import('../../shell/bounded-input.ts')).readContentFile(file)
  return (await import('../../shell/given-text.ts')).decodeFile(bytes, file)
}

function text(args: Args, option: string, field: string): Record<string, string> {
  const value = args.get(option)
  return value === undefined ? {} : { [field]: value }
}

function json(args: Args, option: string): Record<string, Json> {
  const value = args.get(option)
  if (value === undefined) return {}
  try {
    return { [option]: JSON.parse(value) }
  } catch {
    throw usage(inboxPush, `--${option} is not JSON`)
  }
}

async function attachmentOf(file: string): Promise<Attachment> {
  const { requirePlainFile } = await import('../../shell/bounded-input.ts')
  return { name: basename(file), path: resolve(file), ...requirePlainFile(file, sha256OfFile) }
}
