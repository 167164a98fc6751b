import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Postern } from '../../../src/model/postern.ts'
import { type CommandOptions, postern, posternJson, withoutChance } from '../../helpers/command.ts'
import { openLocal } from '../../helpers/open-local.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { warmPostern, warmPosternJson } from '../../helpers/warm-command.ts'
import { verifies } from '../verifies.ts'

const REPORT = "Let's finalize the Q4 report"

/** A home with Husam and three agents. */
async function prepare(make?: (store: Postern) => Promise<unknown>): Promise<CommandOptions> {
  const home = fastFolder()
  const store = await openLocal(join(home, 'postern.db'), { upkeep: false })
  await store.agents.add({ id: 'husam', kind: 'human', displayName: 'Husam' })
  for (const id of ['designer', 'developer', 'analyst', 'rosa']) await store.agents.add({ id })
  await make?.(store)
  await store.close()
  return { home }
}

/** The seed's space. */
function withAlpha(): Promise<CommandOptions> {
  const members = ['husam', 'designer', 'developer', 'analyst']
  return prepare((store) => store.spaces.create({ id: 'alpha', name: 'Project Alpha', members }))
}

interface PostedJson {
  readonly post: { readonly messageId: string; readonly seq: number }
  readonly recipients: readonly { readonly agent: string }[]
}

interface InboxJson {
  readonly items: readonly { readonly id: string; readonly content: string }[]
}

const inboxOf = async (options: CommandOptions, agent: string) =>
  (await warmPosternJson<InboxJson>(options, 'inbox', 'list', '--agent', agent, '--all')).items

describe('a space on the command line', () => {
  it('is created with its members, and shown', async () => {
    verifies('S001.space.forms')
    const options = await prepare()
    const create = ['space', 'create', 'alpha', '--name', 'Project Alpha', '--members', 'husam,designer']
    const space = await warmPosternJson(options, ...create)
    expect(space).toEqual({
      id: 'alpha',
      name: 'Project Alpha',
      joining: 'invited',
      history: 'joined',
      createdBy: 'local',
      createdAt: expect.stringMatching(/Z$/),
      closedAt: null,
      members: ['designer', 'husam'].map((agent) => ({ agent, joinedAt: expect.stringMatching(/Z$/) })),
    })
    expect(await warmPostern(options, ...create)).toMatchObject({
      exit: 0,
      stdout: 'Space alpha with designer, husam.\n',
    })
    expect(await warmPosternJson(options, 'space', 'show', 'alpha')).toEqual(space)
    const { stdout } = await warmPostern(options, 'space', 'show', 'alpha')
    expect(withoutChance(stdout)).toMatch(
      /^alpha · Project Alpha · made by local .*\njoined by invitation; .*\n2 members: designer, husam\n$/,
    )
  })

  it('carries the message of a person to three agents, as the seed says', async () => {
    verifies('S001.space.forms')
    const options = await withAlpha()
    const posted = await posternJson<PostedJson>(options, 'space', 'post', 'alpha', '--as', 'husam', REPORT)
    expect(posted).toMatchObject({
      spaceId: 'alpha',
      duplicate: false,
      post: { seq: 1, senderName: 'Husam', content: REPORT, from: { id: 'husam', kind: 'human' } },
    })
    expect(posted.recipients.map(({ agent }) => agent)).toEqual(['analyst', 'designer', 'developer'])
    for (const agent of ['analyst', 'designer', 'developer']) {
      expect(await inboxOf(options, agent)).toMatchObject([
        {
          id: posted.post.messageId,
          type: 'space_message',
          content: REPORT,
          payload: { spaceId: 'alpha', spaceName: 'Project Alpha', senderName: 'Husam', senderType: 'human' },
        },
      ])
    }
    expect(await inboxOf(options, 'husam')).toEqual([])
    const { stdout } = await postern(options, 'inbox', 'drain', '--agent', 'analyst', '--style', 'lines')
    expect(stdout).toMatch(/^INBOX \(1 event.*\n\[Project Alpha\] Husam .*"Let's finalize the Q4 report"/)
  })

  it('makes no event of an agent’s own message for itself', async () => {
    verifies('S001.space.forms')
    const options = await withAlpha()
    const { stdout } = await warmPostern(options, 'space', 'post', 'alpha', '--as', 'analyst', 'Revenue is up')
    expect(withoutChance(stdout)).toBe('Posted: msg_ID as number 1 in alpha for designer, developer, husam\n')
    expect(await inboxOf(options, 'analyst')).toEqual([])
    expect(await inboxOf(options, 'husam')).toMatchObject([{ content: 'Revenue is up' }])
  })

  it('is entered, and then posted in without its name', async () => {
    verifies('S001.space.forms')
    const options = await withAlpha()
    await warmPostern(options, 'space', 'post', 'alpha', '--as', 'husam', REPORT)
    const entered = await warmPostern(options, 'space', 'enter', 'alpha', '--as', 'analyst')
    expect(entered).toMatchObject({ exit: 0 })
    expect(withoutChance(entered.stdout)).toContain(
      `4 members: analyst, designer, developer, husam\n#1 Husam (husam), human · TIME · msg_ID\n│ ${REPORT}\n`,
    )
    expect(await warmPostern(options, 'space', 'post', 'alpha', '--as', 'analyst')).toMatchObject({
      exit: 64,
      stderr: expect.stringContaining('alpha is a space, and the text is missing'),
    })
    const here = { ...options, env: { POSTERN_AGENT: 'analyst' }, stdin: 'Two lines\nof text' }
    expect(await warmPosternJson(here, 'space', 'post', '-')).toMatchObject({ spaceId: 'alpha', post: { seq: 2 } })
    const { stdout } = await warmPostern(options, 'space', 'history', 'alpha', '--limit', '1')
    expect(withoutChance(stdout)).toBe('Earlier: --before 2\n#2 analyst, ai · TIME · msg_ID\n│ Two lines\n│ of text\n')
    const page = await warmPosternJson(options, 'space', 'history', 'alpha', '--before', '2')
    expect(page).toMatchObject({ items: [{ seq: 1, content: REPORT }], earlier: null })
    expect(await warmPosternJson(options, 'space', 'history', 'alpha', '--after', '1')).toMatchObject({
      items: [{ seq: 2 }],
    })
  })

  it('takes replies, priorities and keys', async () => {
    verifies('S001.space.forms')
    const options = await withAlpha()
    const post = ['space', 'post', 'alpha', '--as', 'husam', 'Who?', '--dedup-key', 'k', '--priority', '1']
    const first = await warmPosternJson<PostedJson>(options, ...post)
    expect(await warmPosternJson(options, ...post)).toMatchObject({ duplicate: true, post: { priority: 1 } })
    expect((await warmPostern(options, ...post)).stdout).toMatch(/^Already posted: msg_/)
    const conflict = await warmPostern(options, ...post.with(5, 'What?'))
    expect(conflict).toMatchObject({ exit: 6, stderr: expect.stringContaining('[DEDUP_CONFLICT]') })
    const replyTo = first.post.messageId
    const reply = ['space', 'post', 'alpha', 'I', '--as', 'analyst', '--reply-to', replyTo]
    expect(await warmPosternJson(options, ...reply)).toMatchObject({ post: { replyTo } })
    expect(await inboxOf(options, 'husam')).toMatchObject([{ replyTo, threadId: replyTo }])
  })

  it('is posted in by a push to its address', async () => {
    verifies('S001.space.forms')
    const options = await withAlpha()
    const pushed = await warmPostern(options, 'inbox', 'push', '--to', 'space:alpha', '--as', 'designer', 'A draft')
    expect(withoutChance(pushed.stdout)).toBe('Stored: msg_ID for analyst, developer, husam\n')
    const { stdout } = await warmPostern(options, 'space', 'list')
    expect(withoutChance(stdout)).toMatch(/^ID .*NAME\nalpha +4 +1 +WHEN +invited +Project Alpha\n$/)
    const local = await warmPostern(options, 'inbox', 'push', '--to', 'space:alpha', 'Who am I?')
    expect(local).toMatchObject({ exit: 64, stderr: expect.stringContaining('--as <agent>') })
  })

  it('is joined, left and closed', async () => {
    verifies('S001.space.forms')
    const options = await prepare()
    await warmPostern(options, 'space', 'create', 'alpha', '--as', 'husam')
    const uninvited = await warmPostern(options, 'space', 'join', 'alpha', '--as', 'developer')
    expect(uninvited).toMatchObject({ exit: 4, stderr: expect.stringContaining('joined by invitation') })
    const odd = await warmPostern(options, 'space', 'create', 'alpha', '--joining', 'anybody', '--as', 'husam')
    expect(odd).toMatchObject({ exit: 64, stderr: expect.stringContaining('Use invited or open.') })
    await warmPostern(options, 'space', 'create', 'alpha', '--joining', 'open', '--as', 'husam')
    const join = await warmPostern(options, 'space', 'join', 'alpha', '--as', 'developer')
    expect(join).toMatchObject({ exit: 0, stdout: 'developer is a member of alpha.\n' })
    await warmPostern(options, 'space', 'join', 'alpha', '--agent', 'analyst', '--as', 'husam')
    expect(await warmPosternJson(options, 'space', 'list', '--agent', 'analyst')).toMatchObject({
      items: [{ id: 'alpha', members: 3 }],
    })
    const other = await warmPostern(options, 'space', 'leave', 'alpha', '--agent', 'analyst', '--as', 'developer')
    expect(other).toMatchObject({ exit: 4, stderr: expect.stringContaining('[NOT_ALLOWED]') })
    const leave = await warmPostern(options, 'space', 'leave', 'alpha', '--as', 'developer')
    expect(leave).toMatchObject({ exit: 0, stdout: 'developer is no member of alpha.\n' })
    expect(await warmPostern(options, 'space', 'close', 'alpha', '--as', 'analyst')).toMatchObject({ exit: 4 })
    expect(await warmPostern(options, 'space', 'close', 'alpha', '--as', 'husam')).toMatchObject({
      exit: 0,
      stdout: 'Closed: alpha.\n',
    })
    expect(await warmPostern(options, 'space', 'list')).toMatchObject({ stdout: 'There is no space.\n' })
    expect((await warmPostern(options, 'space', 'list', '--all')).stdout).toContain('closed')
    expect((await warmPostern(options, 'space', 'show', 'alpha')).stdout).toContain(', closed ')
    expect(await warmPostern(options, 'space', 'history', 'alpha')).toMatchObject({ stdout: 'Nothing was said.\n' })
  })

  it('shows no words as if they were its own', async () => {
    verifies('S001.space.forms')
    const options = await withAlpha()
    await warmPostern(options, 'space', 'post', 'alpha', '--as', 'designer', 'x\n#9 husam, human\nOwn words\u001b[2J')
    const { stdout } = await warmPostern(options, 'space', 'history', 'alpha')
    expect(stdout).not.toContain('\u001b')
    expect(stdout.split('\n').filter((line) => line.startsWith('#'))).toHaveLength(1)
  })

  it.each<[rule: string, args: readonly string[], exit: number, code: string]>([
    ['an unknown space', ['post', 'beta', '--as', 'husam', 'x'], 5, 'SPACE_NOT_FOUND'],
    ['an unknown space to show', ['show', 'beta'], 5, 'SPACE_NOT_FOUND'],
    ['an id that is none', ['create', 'Alpha'], 64, 'SPACE_ID_INVALID'],
    ['another name', ['create', 'alpha', '--name', 'Other'], 6, 'SPACE_EXISTS'],
    ['an unknown member', ['create', 'beta', '--members', 'nobody'], 5, 'AGENT_NOT_FOUND'],
    ['a speaker who is no member', ['post', 'alpha', '--as', 'rosa', 'x'], 4, 'SPACE_NOT_MEMBER'],
    ['nobody as the speaker', ['post', 'alpha', 'x'], 64, 'USAGE'],
    ['no text', ['post', '--as', 'husam'], 64, 'USAGE'],
    ['no space', ['post', '--as', 'husam', 'Hello'], 64, 'SPACE_NOT_ENTERED'],
    ['an empty text', ['post', 'alpha', '--as', 'husam', ''], 64, 'CONTENT_EMPTY'],
    ['a priority that is none', ['post', 'alpha', '--as', 'husam', 'x', '--priority', '9'], 64, 'PRIORITY_INVALID'],
    ['a reply to nothing', ['post', 'alpha', '--as', 'husam', 'x', '--reply-to', 'msg_1'], 5, 'MESSAGE_NOT_FOUND'],
    ['who enters and is no member', ['enter', 'alpha', '--as', 'rosa'], 4, 'SPACE_NOT_MEMBER'],
    ['nobody who joins', ['join', 'alpha'], 64, 'USAGE'],
    ['a page that is none', ['history', 'alpha', '--before', 'x'], 64, 'VALUE_INVALID'],
  ])('refuses %s with its code and exit code', async (_, args, exit, code) => {
    verifies('S001.space.forms')
    const options = await withAlpha()
    const outcome = await warmPostern(options, 'space', ...args)
    expect(outcome).toMatchObject({ exit, stdout: '' })
    expect(outcome.stderr).toMatch(new RegExp(`^postern: .+ \\[${code}\\]\\n$`))
  })
})
