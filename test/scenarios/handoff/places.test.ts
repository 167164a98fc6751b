import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectPostern } from '../../../src/client/connect.ts'
import { processStart } from '../../../src/kit/node/processes.ts'
import { postern, posternJson } from '../../helpers/command.ts'
import { startServe } from '../../helpers/http-server.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { warmPostern, warmPosternJson } from '../../helpers/warm-command.ts'
import { verifies } from '../verifies.ts'
import { addWorktree, type Left, makeRepositories, makeRepository, type Repository } from './repository.ts'

const NOTHING = '◈ INHERIT\nNo inheritance items\n'
const LEARNING = ['leave', '--type', 'learning', '--session', 'auth'] as const

describe('worktrees', () => {
  it('have folders of their own, unless they share those of the main repository', async () => {
    verifies('S004.worktrees')
    const shop = await makeRepository()
    const tree = addWorktree(shop, 'feature')
    await tree.text('init')
    await tree.text(...LEARNING, 'In the worktree.')
    const { path } = await tree.json<Left>(...LEARNING, '--shared', 'In the main one.')
    expect(path.startsWith(join(shop.folder, 'inbox/'))).toBe(true)
    expect(await tree.text('list', '--shared')).toContain('In the main one.')
    expect(await shop.text('inherit')).toContain('In the main one.')
    expect(await shop.text('inherit')).toBe(NOTHING)
    expect(await tree.text('inherit', '--shared')).toBe(NOTHING)
    expect(await tree.text('inherit')).toContain('In the worktree.')
    const { from_session } = await tree.json<Left>('leave', '--type', 'context', 'ADR-007')
    expect(from_session).toMatch(/-feature$/)
  })
})

describe('the inbox that repositories share', () => {
  async function pair(): Promise<readonly [Repository, Repository]> {
    const [shop, billing] = makeRepositories('shop', 'billing')
    if (!shop || !billing) return expect.fail('there are no repositories')
    for (const each of [shop, billing]) await each.text('init')
    return [shop, billing]
  }

  it('carries items both ways, and says where they come from', async () => {
    verifies('S004.shared-inbox')
    const [shop, billing] = await pair()
    const left = await shop.json<Left>(...LEARNING, '--to-repo', 'billing', 'The price has a new field.')
    expect(left.box).toBe('from-shop')
    expect(left.path).toBe(join(dirname(shop.folder), 'shared-inbox/from-shop', left.name))
    expect(await shop.text('inherit')).toBe(NOTHING)
    expect(await billing.text('list')).toContain('from-shop')
    expect(await billing.text('inherit')).toContain('[learning from auth in shop]\n│ The price has a new field.')
    expect(existsSync(left.path)).toBe(false)

    await billing.text(...LEARNING, '--to-repos', 'It is used.')
    expect(await billing.text('inherit')).toBe(NOTHING)
    expect(await shop.text('inherit')).toContain('[learning from auth in billing]\n│ It is used.')
    expect(await billing.text('inherit')).toBe(NOTHING)
  })

  it('keeps what is for one repository from the others', async () => {
    verifies('S004.shared-inbox')
    const [shop, billing, mail] = makeRepositories('shop', 'billing', 'mail')
    for (const each of [shop, billing, mail]) await each?.text('init')
    await shop?.text(...LEARNING, '--to-repo', 'mail', 'The template moved.')
    expect(await billing?.text('inherit')).toBe(NOTHING)
    expect(await mail?.text('inherit')).toContain('The template moved.')
  })
})

describe('what belongs to an item', () => {
  async function withAgents(): Promise<Repository> {
    const shop = await makeRepository()
    for (const agent of ['quinn', 'mindy']) await warmPosternJson({ home: shop.home }, 'agent', 'add', agent)
    return shop
  }

  it('with --to only that agent inherits it, and is told by a message', async () => {
    verifies('S004.bridge')
    const shop = await withAgents()
    const left = await shop.json<Left>(...LEARNING, '--to', 'quinn', 'ADR-007 applies.')
    expect(left.message).toMatch(/^msg_/)
    const { stdout } = await warmPostern({ home: shop.home }, 'inbox', 'drain', '--agent', 'quinn')
    expect(stdout).toContain(`postern handoff show ${left.name} --project ${shop.folder}`)
    expect(await shop.text('inherit')).toBe(NOTHING)
    expect(await shop.text('inherit', '--agent', 'mindy')).toBe(NOTHING)
    expect(await shop.text('inherit', '--agent', 'quinn')).toContain('ADR-007 applies.')
  })

  it('with --in a plan brings a thread back', async () => {
    verifies('S004.bridge')
    const shop = await withAgents()
    const thread = ['leave', '--type', 'thread', '--agent', 'quinn'] as const
    const left = await shop.json<Left>(...thread, '--in', '2h', 'Paused at step 3.')
    const plan = await warmPosternJson<{ agent: string; nextRunAt: string }>(
      { home: shop.home },
      ...['plan', 'show', left.plan ?? ''],
    )
    expect(plan).toMatchObject({ agent: 'quinn', instruction: expect.stringContaining('Paused at step 3.') })
    expect(Date.parse(plan.nextRunAt) - Date.now()).toBeGreaterThan(60 * 60 * 1_000)
    expect(await shop.text(...thread, '--at', new Date(Date.now() + 60 * 60 * 1_000).toISOString(), 'Later.')).toMatch(
      /, reminded by plan_\S+\n$/,
    )
    expect((await shop.json<Left>(...thread, '--cron', '0 9 * * 1', '--tz', 'Europe/Berlin', 'Weekly.')).plan).toMatch(
      /^plan_/,
    )
  })

  it('with --gate the agent is held until somebody has inherited the thread', async () => {
    verifies('S004.bridge')
    const shop = await withAgents()
    const { gate } = await shop.json<Left>('leave', '--type', 'thread', '--agent', 'quinn', '--gate', 'Take it up.')
    const check = () => postern({ home: shop.home }, 'gate', 'check', gate ?? '')
    expect((await check()).exit).toBe(7)
    await shop.text('inherit', '--peek')
    expect((await check()).exit).toBe(7)
    await shop.text('inherit')
    expect((await check()).exit).toBe(0)
    expect(await posternJson({ home: shop.home }, 'gate', 'show', gate ?? '')).toMatchObject({ state: 'resolved' })
  })
})

describe('through a server', () => {
  it('every command works on the folders of its machine', async () => {
    verifies('S004.remote')
    const shop = await makeRepository()
    const { url, token } = await startServe({ home: shop.home })
    const elsewhere = { home: fastFolder(), env: { POSTERN_URL: url, POSTERN_TOKEN: token } }
    const run = async (...words: string[]) => {
      const outcome = await warmPostern(elsewhere, 'handoff', ...words, '--project', shop.folder)
      expect(outcome.exit, outcome.stderr).toBe(0)
      return outcome.stdout
    }
    await run('init')
    const { name } = JSON.parse(await run(...LEARNING, '--json', 'Rotate them.')) as Left
    expect(shop.items()).toEqual([name])
    expect(await run('list')).toContain(name)
    expect(await run('show', name)).toContain('│ Rotate them.')
    for (const hostile of ['..', '.', '../../x', '%2e%2e', 'x?y#z']) {
      const { exit, stderr } = await warmPostern(elsewhere, 'handoff', 'show', hostile, '--project', shop.folder)
      expect([exit, stderr]).toEqual([5, expect.stringContaining('[HANDOFF_ITEM_NOT_FOUND]')])
    }
    expect(await run('inherit', '--peek')).toContain('Rotate them.')
    expect(await run('inherit')).toContain('[learning from auth]\n│ Rotate them.')
    expect(shop.items('inbox/processed')).toEqual([name])
    await run('outbox', 'write', '--kind', 'note', 'Said.')
    expect(await run('outbox', 'list')).toContain('note-')
    expect(await run('clean')).toBe('Removed: 0 files.\n')
  })

  it('those with a token of an agent may name only projects that were set up and in which its session runs', async () => {
    verifies('S004.remote')
    const [shop, other] = makeRepositories('shop', 'other')
    if (!shop || !other) return expect.fail('there are no repositories')
    await shop.text('init')
    const { url, token: admin } = await startServe({ home: shop.home })
    const administrator = await connectPostern({ url, token: admin })
    await administrator.agents.add({ id: 'quinn' })
    const { token } = await administrator.tokens.create({ scope: 'agent:quinn' })
    const quinn = { home: fastFolder(), env: { POSTERN_URL: url, POSTERN_TOKEN: token } }
    const leave = (folder: string) => warmPostern(quinn, 'handoff', ...LEARNING, '--project', folder, 'Said.')
    expect((await leave(shop.folder)).stderr).toContain('[HANDOFF_UNKNOWN_PROJECT]')
    const host = spawn('sleep', ['600'])
    onTestFinished(() => void host.kill())
    const pid = host.pid ?? 0
    const session = { id: 'ses-1', agent: 'quinn', pid, pidStartedAt: processStart(pid) ?? 1 }
    await administrator.sessions.begin({ ...session, project: shop.folder })
    await administrator.close()
    expect(await leave(shop.folder)).toMatchObject({ exit: 0 })
    for (const folder of [other.folder, shop.home, '/', join(shop.folder, '../nowhere')]) {
      const { exit, stderr } = await leave(folder)
      expect([exit, stderr]).toEqual([5, expect.stringContaining('[HANDOFF_UNKNOWN_PROJECT]')])
    }
    expect(existsSync(join(other.folder, 'inbox'))).toBe(false)
    const init = await warmPostern(quinn, 'handoff', 'init', '--project', other.folder)
    expect([init.exit, init.stderr]).toEqual([4, expect.stringContaining('[NOT_ALLOWED]')])
  })
})
