import type { Postern } from '../../../model/postern.ts'
import { parsePriority } from '../../../model/priority.ts'
import type { SpacePost } from '../../../model/sources/space.ts'
import { parseJoining, parseReading } from '../../../model/sources/space-rules.ts'
import type { PostInSpace, SpaceInFull } from '../../../model/sources/spaces.ts'
import { foldLines, showBlock, showField } from '../../../render/terminal.ts'
import type { Args, Command, Io } from '../../shell/command.ts'
import { numberIn } from '../../shell/numbers.ts'
import { requireOwnAgent } from '../../shell/own-agent.ts'
import { usage } from '../../shell/parse.ts'
import { answer, counted } from '../../shell/print.ts'
import { formatTable } from '../../shell/table.ts'
import { ago } from '../../shell/times.ts'

const WHOM = { name: 'agent', value: '<agent>', summary: 'whom it concerns (default: yourself)' } as const
const MAX_WIDTH = 2_000

export const spaceCreate: Command = {
  path: 'space create',
  summary: 'Make a space with its first members.',
  operands: '<id>',
  options: [
    { name: 'name', value: '<text>', summary: 'what it is called (default: its id)' },
    { name: 'members', value: '<agents>', multiple: true, summary: 'who is in it; separate by commas, or repeat it' },
    { name: 'joining', value: '<who>', summary: 'invited (default), or open: every agent may join' },
    { name: 'history', value: '<what>', summary: 'what new members read: joined (default: from then on) or all' },
    { name: 'agent', value: '<agent>', summary: 'your own agent, which is a member too' },
  ],
  examples: [
    'postern space create alpha --name "Project Alpha" --members husam,designer',
    'postern space create lobby --joining open --history all',
  ],

  async run(io, args) {
    const postern = await io.open()
    const [name, joining, history] = [args.get('name'), args.get('joining'), args.get('history')]
    const members = args.all('members').flatMap((names) => names.split(','))
    const space = await postern.spaces.create({
      ...{ id: idIn(args), members },
      ...(name !== undefined && { name }),
      ...(joining !== undefined && { joining: parseJoining(joining) }),
      ...(history !== undefined && { history: parseReading(history) }),
    })
    answer(io, space, `Space ${space.id} with ${namesOf(space)}.`)
    return undefined
  },
}

export const spaceList: Command = {
  path: 'space list',
  isForAnyone: true,
  summary: 'List the spaces that are not closed.',
  options: [
    { name: 'agent', value: '<agent>', summary: 'only those of one member' },
    { name: 'all', summary: 'also those that are closed' },
  ],

  async run(io, args) {
    const postern = await io.open()
    const member = args.get('agent')
    const items = await postern.spaces.list({ closed: args.has('all'), ...(member !== undefined && { member }) })
    const rows = items.map(({ id, members, posts, lastPostAt, closedAt, joining, name }) => [
      id,
      String(members),
      String(posts),
      lastPostAt === null ? '' : ago(lastPostAt, io.now()),
      closedAt === null ? joining : 'closed',
      name,
    ])
    const table = formatTable(['ID', 'MEMBERS', 'POSTS', 'LAST', 'STATE', 'NAME'], rows, io.stdout.columns)
    answer(io, { items, next: null }, items.length === 0 ? 'There is no space.' : table)
    return undefined
  },
}

export const spaceShow: Command = {
  path: 'space show',
  isForAnyone: true,
  summary: 'Show a space and its members.',
  operands: '<id>',

  async run(io, args) {
    const postern = await io.open()
    const space = await postern.spaces.show({ id: idIn(args) })
    answer(io, space, describe(io, space))
    return undefined
  },
}

export const spaceJoin: Command = {
  path: 'space join',
  isAboutAgent: true,
  summary: 'Become a member of a space.',
  operands: '<id>',
  options: [WHOM],
  examples: ['postern space join alpha --as developer'],

  async run(io, args) {
    const { agent, space } = await forOne(io, args, (postern) => postern.spaces.join)
    answer(io, space, `${agent} is a member of ${space.id}.`)
    return undefined
  },
}

export const spaceLeave: Command = {
  path: 'space leave',
  isAboutAgent: true,
  summary: 'Be a member of a space no longer.',
  operands: '<id>',
  options: [WHOM],

  async run(io, args) {
    const { agent, space } = await forOne(io, args, (postern) => postern.spaces.leave)
    answer(io, space, `${agent} is no member of ${space.id}.`)
    return undefined
  },
}

export const spaceClose: Command = {
  path: 'space close',
  summary: 'Close a space: it can still be read.',
  operands: '<id>',

  async run(io, args) {
    const postern = await io.open()
    const space = await postern.spaces.close({ id: idIn(args) })
    answer(io, space, `Closed: ${space.id}.`)
    return undefined
  },
}

export const spacePost: Command = {
  path: 'space post',
  summary: 'Say something to every other member of a space.',
  operands: '[id] [text]',
  options: [
    { name: 'priority', value: '<0–4>', summary: '0 critical, 1 high, 2 normal (default), 3 low, 4 fyi' },
    { name: 'reply-to', value: '<id>', summary: 'the post this answers, by the id of its message' },
    { name: 'dedup-key', value: '<key>', summary: 'the same key again is the same post' },
    { name: 'agent', value: '<agent>', summary: 'your own agent' },
  ],
  examples: [
    `postern space post alpha --as husam "Let's finalize the Q4 report"`,
    'postern space post --as analyst "Revenue is up by 12 %"',
  ],

  async run(io, args) {
    const input = await readPost(io, args)
    const postern = await io.open()
    if (input.id === undefined) await requireWords(postern, input.content)
    const posted = await postern.spaces.post(input)
    const { post, spaceId, duplicate, recipients } = posted
    const to = recipients.map(({ agent, state }) => (state === 'held' ? `${agent} (held)` : agent)).join(', ')
    const what = duplicate ? 'Already posted' : 'Posted'
    answer(io, posted, `${what}: ${post.messageId} as number ${post.seq} in ${spaceId} for ${to || 'nobody else'}`)
    return undefined
  },
}

async function readPost(io: Pick<Io, 'readStdin'>, args: Args): Promise<PostInSpace> {
  const [id, text] = args.operands.length > 1 ? args.operands : [undefined, args.operands[0]]
  if (text === undefined) throw usage(spacePost, 'The text is missing')
  const [replyTo, dedupKey] = [args.get('reply-to'), args.get('dedup-key')]
  return {
    content: text === '-' ? await io.readStdin() : text,
    ...(id !== undefined && { id }),
    ...(replyTo !== undefined && { replyTo }),
    ...(dedupKey !== undefined && { dedupKey }),
    ...(args.has('priority') && { priority: parsePriority(args.get('priority')) }),
  }
}

/** Who names a space and says nothing has forgotten the words: they would say its name in another one. */
async function requireWords(postern: Postern, content: string): Promise<void> {
  const spaces = await postern.spaces.list({ closed: true })
  if (spaces.some(({ id }) => id === content)) throw usage(spacePost, `${content} is a space, and the text is missing`)
}

export const spaceHistory: Command = {
  path: 'space history',
  isForAnyone: true,
  summary: 'Read what was said in a space, oldest first.',
  operands: '<id>',
  options: [
    { name: 'limit', value: '<n>', summary: 'at most so many (default 50)' },
    { name: 'before', value: '<number>', summary: 'only posts before this one' },
    { name: 'after', value: '<number>', summary: 'only posts after this one, the first of them' },
  ],

  async run(io, args) {
    const numbers = Object.fromEntries(
      (['limit', 'before', 'after'] as const).flatMap((name) => (args.has(name) ? [[name, numberIn(args, name)]] : [])),
    )
    const postern = await io.open()
    const page = await postern.spaces.history({ id: idIn(args), ...numbers })
    const earlier = page.earlier === null ? '' : `Earlier: --before ${page.earlier}\n`
    answer(io, page, page.items.length === 0 ? 'Nothing was said.' : earlier + conversation(io, page.items))
    return undefined
  },
}

export const spaceEnter: Command = {
  path: 'space enter',
  isAboutAgent: true,
  summary: 'Turn to a space: what was said last, and where you post from now on.',
  operands: '<id>',
  options: [WHOM, { name: 'limit', value: '<n>', summary: 'at most so many posts (default 20)' }],
  examples: ['postern space enter alpha --as analyst'],

  async run(io, args) {
    const limit = numberIn(args, 'limit')
    const postern = await io.open()
    const agent = await requireOwnAgent(io, args, postern)
    const input = { id: idIn(args), agent, ...(limit !== undefined && { limit }) }
    const entered = await postern.spaces.enter(input)
    const said = entered.history.length === 0 ? 'Nothing was said yet.' : conversation(io, entered.history)
    answer(io, entered, `${describe(io, entered.space)}\n${said}`)
    return undefined
  },
}

function idIn(args: Args): string {
  return args.operands[0] ?? ''
}

async function forOne(
  io: Io,
  args: Args,
  verb: (postern: Postern) => (input: { readonly id: string; readonly agent: string }) => Promise<SpaceInFull>,
): Promise<{ readonly agent: string; readonly space: SpaceInFull }> {
  const postern = await io.open()
  const agent = await requireOwnAgent(io, args, postern)
  return { agent, space: await verb(postern)({ id: idIn(args), agent }) }
}

function namesOf({ members }: SpaceInFull): string {
  return members.map(({ agent }) => agent).join(', ') || 'nobody'
}

function describe(io: Io, space: SpaceInFull): string {
  const { id, name, joining, history, createdBy, createdAt, closedAt, members } = space
  const made = `made by ${createdBy} ${ago(createdAt, io.now())}`
  const rules = `${joining === 'open' ? 'open to every agent' : 'joined by invitation'}; new members read ${history === 'all' ? 'everything' : 'from then on'}`
  const closed = closedAt === null ? [] : [`closed ${ago(closedAt, io.now())}`]
  const lines = [
    `${id} · ${name} · ${[made, ...closed].join(', ')}`,
    rules,
    `${counted(members.length, 'member')}: ${namesOf(space)}`,
  ]
  return lines.map((line) => showField(line, MAX_WIDTH)).join('\n')
}

/** Our own line for each post, made of names and numbers, and its words below, quoted. */
function conversation(io: Io, posts: readonly SpacePost[]): string {
  const text = posts
    .flatMap(({ seq, messageId, from, senderName, replyTo, createdAt, content }) => {
      const who = senderName === from.id ? from.id : `${senderName} (${from.id})`
      const reply = replyTo === null ? '' : ` · in reply to ${replyTo}`
      const head = `#${seq} ${who}, ${from.kind} · ${new Date(createdAt).toISOString()} · ${messageId}${reply}`
      return [showField(head, MAX_WIDTH), showBlock(content)]
    })
    .join('\n')
  return io.stdout.isTerminal ? foldLines(text, io.stdout.columns) : text
}
