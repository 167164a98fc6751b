import { trustWord } from '../../../model/caller.ts'
import type { InboxMessage } from '../../../model/delivery.ts'
import { EXIT, PosternError } from '../../../model/errors.ts'
import type { Message, Sender } from '../../../model/message.ts'
import { formatPriority } from '../../../model/priority.ts'
import { NOT_AUTHENTICATED } from '../../../render/provenance.ts'
import { isRepetition } from '../../../render/repetition.ts'
import { showBlock, showField } from '../../../render/terminal.ts'
import type { Args, Command, Io } from '../../shell/command.ts'
import { printText } from '../../shell/following.ts'
import { numberIn } from '../../shell/numbers.ts'
import { ownAgent, requireOwnAgent } from '../../shell/own-agent.ts'
import { usage } from '../../shell/parse.ts'
import { answer, counted, folded } from '../../shell/print.ts'
import { formatTable } from '../../shell/table.ts'
import { ago, requireDuration } from '../../shell/times.ts'

const AGENT = { name: 'agent', value: '<agent>', aliases: ['bead'], summary: 'whose inbox (default: your own)' }

/** Which recipient is meant; apart from `--agent`, which says whose command it is. */
const FOR = [{ name: 'for', value: '<agent>', summary: 'only for this recipient' }]

const WHICH = ['all', 'delivered', 'done', 'snoozed'] as const

export const inboxList: Command = {
  path: 'inbox list',
  summary: 'List messages without taking them.',
  options: [
    AGENT,
    { name: 'all', summary: 'in every state' },
    { name: 'delivered', summary: 'only what was seen' },
    { name: 'done', summary: 'only what was dealt with' },
    { name: 'snoozed', summary: 'only what was put off' },
    { name: 'limit', value: '<n>', summary: 'at most so many (default 50)' },
    { name: 'after', value: '<cursor>', summary: 'go on where an earlier list ended' },
  ],
  examples: ['postern inbox list', 'postern inbox list --agent quinn --all'],

  async run(io, args) {
    const [which = 'pending', another] = WHICH.filter((each) => args.has(each))
    if (another) throw usage(inboxList, `--${which} and --${another} exclude each other`)
    const postern = await io.open()
    const agent = await ownAgent(io, args, postern)
    const limit = numberIn(args, 'limit')
    const after = args.get('after')
    const page = await postern.inbox.list({
      which,
      ...(agent !== undefined && { agent }),
      ...(limit !== undefined && { limit }),
      ...(after !== undefined && { after }),
    })
    const more = page.next === null ? '' : `\nMore: --after ${page.next}`
    answer(io, page, page.items.length === 0 ? 'Nothing there.' : inboxTable(io, page.items) + more)
    return undefined
  },
}

export const inboxShow: Command = {
  path: 'inbox show',
  summary: 'Show one message whole, with its thread.',
  operands: '<id>',
  isForAnyone: true,
  options: [{ name: 'raw', summary: 'the content byte for byte, and nothing else' }],
  examples: ['postern inbox show msg_01J…'],

  async run(io, args) {
    const postern = await io.open()
    const shown = await postern.inbox.show({ id: args.operands[0] ?? '' })
    if (args.has('raw')) await printText(shown.message.content)
    else answer(io, shown, folded(io, describeMessage(io, shown.message, shown.thread)))
    return undefined
  },
}

export function describeMessage(io: Io, message: Message, thread: readonly Message[]): string {
  const { from, subject, content, payload, context } = message
  const lines = [
    `${message.id} · ${message.type} · ${formatPriority(message.priority)} · ${new Date(message.createdAt).toISOString()} (${ago(message.createdAt, io.now())})${doubtIn(message)}`,
    `from ${authorIn(from)} to ${message.to.join(', ')}`,
    ...(message.replyTo === null ? [] : [`in reply to: ${message.replyTo}`]),
  ].map((line) => showField(line, 2_000))
  const fields = [
    ...(subject === null || subject === content ? [] : [`subject: ${subject}`]),
    ...(message.ref === null ? [] : [`about: ${message.ref}`]),
    ...message.attachments.map(
      ({ name, bytes, sha256, path }) => `attached: ${name} (${bytes} bytes, sha256 ${sha256}) ${path ?? ''}`,
    ),
  ].map((line) => showBlock(showField(line, 2_000)))
  const data = [isRepetition(payload, content) ? null : payload, context].filter((part) => part !== null)
  const quotes = (message.quotes ?? []).map(({ what, from: author, text }) => {
    return `${showField(`${what}, from ${authorIn(author)}:`, 2_000)}\n${showBlock(text)}`
  })
  const body = [showBlock(content), ...quotes, ...data.map((part) => showBlock(JSON.stringify(part, null, 2)))]
  const others = thread.filter(({ id }) => id !== message.id)
  const around = others.map((other) => {
    return showField(`  ${other.id} ${other.from.id}${doubtIn(other)}: ${other.content}`, 160)
  })
  return [...lines, ...fields, ...body, ...(around.length > 0 ? [`thread of ${thread.length}:`, ...around] : [])].join(
    '\n',
  )
}

function doubtIn({ authenticated }: Message): string {
  return authenticated === false ? ` · ${NOT_AUTHENTICATED}` : ''
}

function authorIn(author: Sender): string {
  return `${author.id} (${author.kind}, ${trustWord(author)}, via ${author.via})`
}

export const inboxAck: Command = {
  path: 'inbox ack',
  summary: 'Say that messages have been dealt with.',
  operands: '<id…>',
  options: [AGENT],
  examples: ['postern inbox ack --agent quinn msg_01J…'],

  async run(io, args) {
    const postern = await io.open()
    const acked = await postern.inbox.ack({ agent: await requireOwnAgent(io, args, postern), ids: args.operands })
    answer(io, { acked }, acked.map(({ id, state }) => `${id} ${state}`).join('\n'))
    return undefined
  },
}

export const inboxWait: Command = {
  path: 'inbox wait',
  isLasting: true,
  summary: 'Sleep until something waits for an agent.',
  options: [AGENT, { name: 'timeout', value: '<duration>', summary: 'give up after (default: never)' }],
  examples: ['postern inbox wait --agent quinn --timeout 10m && postern inbox drain --agent quinn'],

  async run(io, args) {
    const timeout = args.get('timeout')
    const timeoutMs = timeout === undefined ? undefined : requireDuration(timeout)
    const postern = await io.open()
    const agent = await requireOwnAgent(io, args, postern)
    const { pending } = await postern.inbox.wait({ agent, ...(timeoutMs !== undefined && { timeoutMs }) })
    if (pending === 0) {
      throw new PosternError('TIMED_OUT', {
        message: `Nothing came for ${agent} in ${timeout}.`,
        next: 'Wait again, or look with "postern inbox list".',
      })
    }
    answer(io, { pending }, `${counted(pending, 'message')} for ${agent}`)
    return undefined
  },
}

export const inboxCancel: Command = {
  path: 'inbox cancel',
  summary: 'Take a message back from whoever has not seen it yet.',
  operands: '<id>',
  options: FOR,

  async run(io, args) {
    const postern = await io.open()
    const result = await postern.inbox.cancel(deliveryRef(args))
    answer(io, result, `Cancelled for ${counted(result.cancelled, 'recipient')}`)
    return undefined
  },
}

export const inboxSearch: Command = {
  path: 'inbox search',
  summary: 'Find messages by words, "phrases" or beginnings*.',
  operands: '<query…>',
  options: [
    { name: 'with', value: '<agent>', summary: 'only from or to this agent' },
    { name: 'limit', value: '<n>', summary: 'at most so many (default 50)' },
  ],
  examples: ['postern inbox search \'"build failed" deploy*\''],

  async run(io, args) {
    const postern = await io.open()
    const limit = numberIn(args, 'limit')
    const agent = args.get('with')
    const items = await postern.inbox.search({
      query: args.operands.join(' '),
      ...(agent !== undefined && { agent }),
      ...(limit !== undefined && { limit }),
    })
    answer(io, { items }, items.length === 0 ? 'Nothing found.' : messageTable(io, items))
    return undefined
  },
}

export const inboxHeldList: Command = {
  path: 'inbox held list',
  summary: 'List messages that are held because programs wrote too often.',
  options: FOR,
  run: (io, args) => listAside(io, args, 'held'),
}

export const inboxHeldRelease: Command = {
  path: 'inbox held release',
  isForPeople: true,
  summary: 'Let a held message go on.',
  operands: '<id>',
  options: FOR,
  async run(io, args) {
    const postern = await io.open()
    const result = await postern.inbox.releaseHeld(deliveryRef(args))
    answer(io, result, `Released for ${counted(result.released, 'recipient')}`)
    return EXIT.ok
  },
}

export const inboxDeadList: Command = {
  path: 'inbox dead list',
  summary: 'List messages that were offered too often without being confirmed.',
  options: FOR,
  run: (io, args) => listAside(io, args, 'dead'),
}

export const inboxDeadRetry: Command = {
  path: 'inbox dead retry',
  isForPeople: true,
  summary: 'Make a dead message pending again.',
  operands: '<id>',
  options: FOR,
  async run(io, args) {
    const postern = await io.open()
    const result = await postern.inbox.retryDead(deliveryRef(args))
    answer(io, result, `Pending again for ${counted(result.retried, 'recipient')}`)
    return EXIT.ok
  },
}

async function listAside(io: Io, args: Args, state: 'held' | 'dead'): Promise<undefined> {
  const postern = await io.open()
  const agent = args.get('for')
  const items = await postern.inbox[state](agent === undefined ? {} : { agent })
  answer(io, { items, next: null }, items.length === 0 ? `Nothing is ${state}.` : inboxTable(io, items))
  return undefined
}

function deliveryRef(args: Args): { readonly id: string; readonly agent?: string } {
  const agent = args.get('for')
  return { id: args.operands[0] ?? '', ...(agent !== undefined && { agent }) }
}

function inboxTable(io: Io, items: readonly InboxMessage[]): string {
  const rows = items.map((item) => [
    item.agent,
    item.id,
    item.state,
    formatPriority(item.priority),
    item.type,
    item.from.id,
    ago(item.createdAt, io.now()),
    item.subject ?? item.content,
  ])
  return formatTable(['AGENT', 'ID', 'STATE', 'PRIORITY', 'TYPE', 'FROM', 'WHEN', 'WHAT'], rows, io.stdout.columns)
}

function messageTable(io: Io, items: readonly Message[]): string {
  const rows = items.map((item) => [
    item.id,
    item.type,
    item.from.id,
    item.to.join(','),
    ago(item.createdAt, io.now()),
    item.subject ?? item.content,
  ])
  return formatTable(['ID', 'TYPE', 'FROM', 'TO', 'WHEN', 'WHAT'], rows, io.stdout.columns)
}
