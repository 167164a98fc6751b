import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CommandOptions, postern } from '../helpers/command.ts'
import { fastFolder } from '../helpers/temp.ts'
import { warmPostern, warmPosternJson } from '../helpers/warm-command.ts'

async function withQuinn(): Promise<CommandOptions> {
  const options = { home: fastFolder() }
  await warmPostern(options, 'agent', 'add', 'quinn')
  return options
}

async function contents(options: CommandOptions): Promise<unknown[]> {
  const { items } = await warmPosternJson<{ items: { content: string; subject: string | null }[] }>(
    options,
    'inbox',
    'list',
  )
  return items.map(({ content, subject }) => subject ?? content)
}

describe('words that look like options', () => {
  it('are text where text is expected: no push is taken for a question', async () => {
    const options = await withQuinn()
    await warmPostern(options, 'inbox', 'push', '--to', 'quinn', '--', '--help')
    await warmPostern(options, 'inbox', 'push', '--to', 'quinn', '--', '-h')
    await warmPostern(options, 'inbox', 'push', '--to', 'quinn', '--subject', '--help', 'hello')
    const last = await warmPostern(options, 'inbox', 'push', '--to', 'quinn', '--', '--json')
    expect(await contents(options)).toEqual(['--help', '-h', '--help', '--json'])
    expect(last.stdout).toMatch(/^Stored: /)
  })

  it('are never repeated where they may be secrets', async () => {
    const options = await withQuinn()
    const { exit, stderr } = await warmPostern(options, '--store', 'postgres://u:secret@h/db', 'inbox', 'list')
    expect(exit).toBe(64)
    expect(stderr).not.toContain('secret')
  })
})

describe('a store that is named with a password', () => {
  it.each([
    'postgres://u:s/cret@h/db',
    'postgres://u:s@c:ret@h/db',
    'postgres://h/db?password=secret',
  ])('%s is shown without it', async (store) => {
    const { stdout } = await warmPostern({ home: fastFolder() }, 'config', '--store', store)
    expect(stdout).not.toMatch(/cret/)
    expect(stdout).toContain('…')
  })
})

describe('the configuration of a cloned repository', () => {
  it('decides neither how long messages are kept nor who is damped, before it is trusted', async () => {
    const home = fastFolder()
    const project = join(home, 'project')
    mkdirSync(join(project, 'below'), { recursive: true })
    const limits = { retentionMs: 1, attempts: 1, pendingPerAgent: 1, hops: 1, drainMessages: 3 }
    writeFileSync(join(project, 'postern.config.json'), JSON.stringify({ limits, store: 'here.db' }))
    const options = { home, cwd: join(project, 'below') }
    const read = () => warmPosternJson<{ store: string; limits: Record<string, number> }>(options, 'config')

    expect((await read()).limits).toMatchObject({ retentionMs: 2_592_000_000, attempts: 10, hops: 8, drainMessages: 3 })
    await warmPostern(options, 'config', 'trust')
    expect((await read()).limits).toMatchObject(limits)
    expect((await read()).store).toBe(join(project, 'here.db'))
  })
})

describe('output that cannot be written', () => {
  it('ends in one line and its exit code, whatever was asked', async () => {
    const options = await withQuinn()
    for (const args of [['version', '--json'], ['inbox', 'list'], ['help']]) {
      const { exit, stderr } = await postern({ ...options, stdoutFile: '/dev/full' }, ...args)
      expect(exit, args.join(' ')).not.toBe(0)
      expect(stderr, args.join(' ')).not.toMatch(/\n\s+at /)
    }
  })
})
