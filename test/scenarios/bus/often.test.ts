import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { type CommandOptions, postern, posternJson } from '../../helpers/command.ts'
import { fastFolder } from '../../helpers/temp.ts'

interface Page {
  readonly items: readonly { readonly type: string; readonly body: string; readonly meta?: Record<string, unknown> }[]
}

const PLACE = ['--project', 'conductor-loop', '--task', 'docs']

describe('a command by which agents talk on a bus', () => {
  let options: CommandOptions
  let root = ''
  const file = () => join(root, 'conductor-loop', 'docs', 'TASK-MESSAGE-BUS.md')
  const kept = () => join(options.home, 'cache', `bus.cjs-bus-${process.version}`)
  const read = (...more: readonly string[]) => posternJson<Page>(options, 'bus', 'read', ...PLACE, ...more)
  const post = (...more: readonly string[]) => postern(options, 'bus', 'post', ...PLACE, ...more)

  beforeEach(() => {
    root = fastFolder()
    options = { home: fastFolder(), env: { POSTERN_BUS_ROOT: root }, hasOwnCache: true }
  })

  it('is answered by a bundle of its own, whose code is kept', async () => {
    expect(await post('--type', 'FACT', 'The build is green.')).toMatchObject({ exit: 0, stderr: '' })
    expect((await read('--tail', '1')).items).toMatchObject([{ type: 'FACT', body: 'The build is green.' }])
    expect(readFileSync(kept(), 'latin1')).toMatch(/^[0-9a-f]{16} post read /)
  })

  it('sums up short bodies and long ones alike', async () => {
    const bodies = ['', 'short', 'é'.repeat(3_000), 'x'.repeat(60_000)]
    for (const body of bodies) expect((await post('--meta', 'a=b', '--body', body)).exit).toBe(0)
    expect((await read('--tail', '0')).items.map(({ body }) => body)).toEqual(bodies)
    expect((await postern(options, 'bus', 'verify', ...PLACE)).exit).toBe(0)
  })

  it('reads what somebody else has written in an unusual way', async () => {
    expect((await post('first')).exit).toBe(0)
    const header = '{msg_id: MSG-1, ts: "2026-01-01T00:00:00Z", type: FACT, project_id: conductor-loop, task_id: docs}'
    appendFileSync(file(), `---\n${header}\n---\nby hand\n`)
    expect((await read('--tail', '1')).items).toMatchObject([{ type: 'FACT', body: 'by hand' }])
  })

  it('goes the whole way where it tells an agent, asks people or is asked for help', async () => {
    for (const agent of ['quinn', 'ada'])
      await postern(options, 'agent', 'add', agent, '--kind', agent === 'ada' ? 'human' : 'ai')
    expect((await post('--to', 'quinn', 'look')).stdout).toContain('told by msg_')
    expect((await post('--type', 'QUESTION', '--ask', 'ada', '--agent', 'quinn', 'Ship it?')).stdout).toContain(
      'decision dec_',
    )
    expect((await post('--help')).stdout).toContain('postern bus post')
  })

  it('says what is wrong with its words as any other does', async () => {
    expect(await post('--nonsense')).toMatchObject({ exit: 64, stdout: '' })
    expect((await post('--type', '???', 'x', '--json')).stdout).toContain('BUS_TYPE_INVALID')
    expect((await postern(options, 'bus', 'read', ...PLACE)).stderr).toContain('[BUS_NOT_FOUND]')
  })
})
