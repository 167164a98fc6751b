import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { BusEntry } from '../../../src/model/bus/entry.ts'
import { postern, posternJson } from '../../helpers/command.ts'
import { startServe } from '../../helpers/http-server.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { warmPostern, warmPosternJson } from '../../helpers/warm-command.ts'
import { verifies } from '../verifies.ts'

const P = ['--project', 'p', '--task', 't'] as const
const ID = /^MSG-\d{8}-\d{6}-\d{9}-PID\d{5,}-\d{4,}$/

interface Posted {
  readonly msg_id: string
  readonly ts: string
  readonly warnings: readonly string[]
}

interface Page {
  readonly items: readonly BusEntry[]
  readonly cursor: string
  readonly hasMore: boolean
}

function scene() {
  const home = fastFolder()
  return { home, root: join(home, 'run-agent'), file: join(home, 'run-agent/p/t/TASK-MESSAGE-BUS.md') }
}

describe('bus post and bus read', () => {
  it('write and read with the names of the seed', async () => {
    verifies('S002.forms')
    const { home, file } = scene()
    const posted = await posternJson<Posted>({ home }, 'bus', 'post', ...P, '--type', 'FACT', '--body', 'It is green.')
    expect(posted.msg_id).toMatch(ID)
    expect(posted.ts).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    const page = await posternJson<Page>({ home }, 'bus', 'read', ...P)
    const entry = { msg_id: posted.msg_id, ts: posted.ts, type: 'FACT', project_id: 'p', task_id: 't' }
    expect(page).toEqual({
      items: [{ ...entry, body: 'It is green.' }],
      cursor: posted.msg_id,
      hasMore: false,
      hasGap: false,
      faults: [],
    })
    expect(readFileSync(file, 'utf8')).toMatch(/^---\nmsg_id: MSG-.*\nts: .*\ntype: FACT\nproject_id: p\ntask_id: t\n/)
  })

  it('take a body as argument, option, file or input, byte for byte', async () => {
    verifies('S002.forms')
    const { home } = scene()
    writeFileSync(join(home, 'body.txt'), 'from a file\n\n')
    const odd = '---\nmsg_id: MSG-1\n---\n- a rule above\r\n\ttab, ü, 😀, "quotes"\n---'
    await postern({ home }, 'bus', 'post', ...P, '--', '--as it is')
    await postern({ home, stdin: 'unread' }, 'bus', 'post', ...P, '--body', odd)
    await postern({ home }, 'bus', 'post', ...P, '--body-file', 'body.txt')
    await postern({ home, stdin: 'piped\n' }, 'bus', 'post', ...P)
    await postern({ home, stdin: 'asked for' }, 'bus', 'post', ...P, '-')
    const { items } = await posternJson<Page>({ home }, 'bus', 'read', ...P, '--tail', '0')
    expect(items.map(({ body }) => body)).toEqual(['--as it is', odd, 'from a file\n\n', 'piped\n', 'asked for'])
    expect(items.every(({ type }) => type === 'USER')).toBe(true)
    writeFileSync(join(home, 'bytes'), Buffer.from([0xff, 0x00, 0x0a, 0x80]))
    await postern({ home }, 'bus', 'post', ...P, '--body-file', 'bytes')
    const last = (await posternJson<Page>({ home }, 'bus', 'read', ...P, '--tail', '1')).items[0]
    expect(last?.body_base64).toBe('/wAKgA==')
  })

  it('keep every header that is given', async () => {
    verifies('S002.forms')
    const { home, root } = scene()
    writeFileSync(join(home, 'out.txt'), 'stdout')
    const { msg_id } = await warmPosternJson<Posted>({ home }, 'bus', 'post', ...P, 'first')
    await warmPostern(
      { home },
      ...['bus', 'post', ...P, '--type', 'ISSUE', '--run', 'run_1', '--issue', 'ISSUE-1'],
      ...['--parent', msg_id, '--parent', 'ISSUE-0:depends_on', '--meta', 'status=open', '--meta', 'n=5'],
      ...['--link', 'output=/var/output.md', '--link', 'https://example.com/?a=b'],
      ...['--attach', 'out.txt,kind=log,label=agent stdout', 'Need tests'],
    )
    const entry = (await warmPosternJson<Page>({ home }, 'bus', 'read', ...P, '--tail', '1')).items[0]
    expect(entry).toMatchObject({
      type: 'ISSUE',
      run_id: 'run_1',
      issue_id: 'ISSUE-1',
      parents: [{ msg_id }, { msg_id: 'ISSUE-0', kind: 'depends_on' }],
      links: [{ kind: 'output', path: '/var/output.md' }, { url: 'https://example.com/?a=b' }],
      meta: { status: 'open', n: 5 },
      attachments: [{ kind: 'log', label: 'agent stdout', size_bytes: 6 }],
    })
    const [attachment] = entry?.attachments ?? []
    expect(attachment?.sha256).toBe(createHash('sha256').update('stdout').digest('hex'))
    expect(readFileSync(join(root, 'p/t', attachment?.path ?? ''), 'utf8')).toBe('stdout')
    const again = ['bus', 'post', ...P, '--attach', join(root, 'p/t', attachment?.path ?? ''), 'the same'] as const
    await warmPostern({ home }, ...again)
    const same = (await warmPosternJson<Page>({ home }, 'bus', 'read', ...P, '--tail', '1')).items[0]
    expect(same?.attachments?.[0]?.path).toBe(attachment?.path)
  })

  it('say who wrote, and leave out nobody', async () => {
    verifies('S002.forms')
    const { home } = scene()
    await warmPostern({ home }, 'agent', 'add', 'quinn')
    await warmPostern({ home }, 'bus', 'post', ...P, '--as', 'quinn', 'mine')
    await warmPostern({ home }, 'bus', 'post', ...P, 'nobody')
    const { items } = await warmPosternJson<Page>({ home }, 'bus', 'read', ...P)
    expect(items.map(({ meta }) => meta)).toEqual([{ from: 'quinn' }, undefined])
    const { stdout } = await warmPostern({ home }, 'bus', 'read', ...P)
    expect(stdout).toMatch(
      /^├─ MSG-\S+ · USER · \S+Z · from quinn \(as the file says, unverified\)\n│ mine\n├─ MSG-\S+ · USER · \S+Z\n│ nobody\n$/,
    )
    expect((await warmPostern({ home }, 'bus', 'post', ...P, '--meta', 'from=justin', 'not me')).exit).toBe(64)
  })

  it('give the last 20, what comes after one, or what is wanted', async () => {
    verifies('S002.forms')
    const { home } = scene()
    const ids: string[] = []
    for (let at = 1; at <= 22; at++) {
      const type = at % 2 === 0 ? 'FACT' : 'INFO'
      ids.push((await warmPosternJson<Posted>({ home }, 'bus', 'post', ...P, '--type', type, `number ${at}`)).msg_id)
    }
    const read = async (...args: readonly string[]) =>
      (await warmPosternJson<Page>({ home }, 'bus', 'read', ...P, ...args)).items.map(({ msg_id }) => msg_id)
    expect(await read()).toEqual(ids.slice(2))
    expect(await read('--tail', '0')).toEqual(ids)
    expect(await read('--tail', '3')).toEqual(ids.slice(-3))
    expect(await read('--after', ids[19] ?? '')).toEqual(ids.slice(20))
    expect(await read('--after', ids[21] ?? '')).toEqual([])
    expect(await read('--after', ids[3] ?? '', '--limit', '2')).toEqual(ids.slice(4, 6))
    expect(await read('--type', 'FACT', '--tail', '2')).toEqual([ids[19], ids[21]])
    expect(ids).toEqual(ids.toSorted())
    const part = await warmPostern({ home }, 'bus', 'read', ...P, '--tail', '0', '--limit', '2')
    expect(part.stderr).toBe(`(there are more: --after ${ids[1]})\n`)
  })

  it('keep project and task apart, and put them together by time where that is asked for', async () => {
    verifies('S002.forms')
    const { home, root } = scene()
    await warmPostern({ home }, 'bus', 'post', '--project', 'p', 'for all')
    await warmPostern({ home }, 'bus', 'post', ...P, 'for one')
    expect(existsSync(join(root, 'p/PROJECT-MESSAGE-BUS.md'))).toBe(true)
    const own = await warmPosternJson<Page>({ home }, 'bus', 'read', '--project', 'p')
    expect(own.items.map(({ body }) => body)).toEqual(['for all'])
    const merged = await warmPosternJson<Page>({ home }, 'bus', 'read', ...P, '--merged')
    expect(merged.items.map(({ body }) => body)).toEqual(['for all', 'for one'])
    const { stdout } = await warmPostern({ home }, 'bus', 'read', ...P, '--merged')
    expect(stdout).toMatch(/ · project p\n│ for all\n├─ .* · task t\n│ for one\n$/)
    const list = await warmPosternJson<Page>({ home }, 'bus', 'list')
    expect(list.items).toMatchObject([{ project_id: 'p' }, { project_id: 'p', task_id: 't' }])
  })

  it.each([
    ['many entries', 2_500, 10, '0'],
    ['large entries, of which the last are wanted', 40, 250_000, '38'],
  ])('read many pages as one answer: %s', async (_name, count, bytes, tail) => {
    const { home, file } = scene()
    const idOf = (at: number) => `MSG-20260205-123456-${String(at).padStart(9, '0')}-PID01234-0001`
    const bodyOf = (at: number) => `${at} `.padEnd(bytes, 'x')
    const header = 'ts: 2026-02-05T12:34:56Z\ntype: FACT\nproject_id: p\ntask_id: t'
    const entries = Array.from(
      { length: count },
      (_, at) => `---\nmsg_id: ${idOf(at)}\n${header}\n---\n${bodyOf(at)}\n`,
    )
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, entries.join(''))
    const page = await warmPosternJson<Page>({ home }, 'bus', 'read', ...P, '--tail', tail)
    const expected = Array.from({ length: count }, (_, at) => idOf(at)).slice(-Number(tail))
    expect(page.items.map(({ msg_id }) => msg_id)).toEqual(expected)
    expect(page.items.at(-1)?.body).toBe(bodyOf(count - 1))
    expect(page).toMatchObject({ hasMore: false, cursor: idOf(count - 1) })
  })
})

describe('which bus is meant', () => {
  it('is told by options, then by the run, then by the nearest file', async () => {
    verifies('S002.context')
    const { home, root, file } = scene()
    const run = { JRUN_PROJECT_ID: 'p', JRUN_TASK_ID: 't', JRUN_ID: 'run_1' }
    await postern({ home, env: run }, 'bus', 'post', 'in a run')
    await postern({ home, env: run }, 'bus', 'post', '--project', 'p', 'for all')
    await postern({ home, env: run }, 'bus', 'post', '--project', 'q', 'elsewhere')
    expect(readFileSync(file, 'utf8')).toContain('run_id: run_1')
    expect(readFileSync(join(root, 'q/PROJECT-MESSAGE-BUS.md'), 'utf8')).not.toContain('run_1')
    const cwd = join(root, 'p/t/runs/run_1')
    mkdirSync(cwd, { recursive: true })
    expect((await posternJson<Page>({ home, cwd }, 'bus', 'read')).items).toMatchObject([{ body: 'in a run' }])
    expect(await posternJson({ home, cwd }, 'bus', 'discover')).toEqual({
      project_id: 'p',
      task_id: 't',
      path: file,
      exists: true,
      origin: 'folder',
    })
    expect((await postern({ home, cwd }, 'bus', 'discover')).stdout).toBe(
      `p/t\n  file     ${file}\n  because  it is the nearest from this folder upwards\n`,
    )
  })

  it('may be one outside of the root', async () => {
    verifies('S002.context')
    const { home, root } = scene()
    const cwd = join(home, 'repository')
    mkdirSync(cwd)
    writeFileSync(join(cwd, 'MESSAGE-BUS.md'), '')
    await warmPostern({ home, cwd }, 'bus', 'post', '--type', 'FACT', 'in the repository')
    expect(readFileSync(join(cwd, 'MESSAGE-BUS.md'), 'utf8')).toContain('project_id: repository\n')
    const env = { JRUN_TASK_FOLDER: join(home, 'elsewhere/p/t'), JRUN_MESSAGE_BUS: join(home, 'elsewhere/bus.md') }
    mkdirSync(env.JRUN_TASK_FOLDER, { recursive: true })
    await warmPostern({ home, env }, 'bus', 'post', 'somewhere')
    expect(readFileSync(env.JRUN_MESSAGE_BUS, 'utf8')).toContain('task_id: t\n')
    expect(existsSync(root)).toBe(false)
  })
})

describe('the bus through a server', () => {
  it('answers what it answers on a machine of its own', async () => {
    verifies('S002.forms')
    const { home, file } = scene()
    const { url } = await startServe({ home })
    const remote = ['--url', url] as const
    writeFileSync(join(home, 'out.txt'), 'stdout')
    const post = ['bus', 'post', ...P, '--type', 'ISSUE', '--issue', 'A', '--attach', 'out.txt', 'sent'] as const
    const { msg_id } = await warmPosternJson<Posted>({ home }, ...post, ...remote)
    for (const command of ['read', 'issues', 'verify']) {
      const here = await warmPosternJson({ home }, 'bus', command, ...P)
      expect(await warmPosternJson({ home }, 'bus', command, ...P, ...remote), command).toEqual(here)
    }
    expect((await warmPosternJson<Page>({ home }, 'bus', 'read', ...P)).items).toMatchObject([{ msg_id, body: 'sent' }])
    expect(await warmPosternJson({ home }, 'bus', 'rotate', ...P, ...remote)).toMatchObject({
      archive: 'TASK-MESSAGE-BUS.0001.md',
    })
    expect(existsSync(file.replace('.md', '.0001.md'))).toBe(true)
    const discover = await warmPostern({ home }, 'bus', 'discover', ...P, ...remote)
    expect(discover.exit).toBe(64)
    const cwd = join(home, 'repository')
    mkdirSync(cwd)
    writeFileSync(join(cwd, 'MESSAGE-BUS.md'), '')
    expect((await warmPostern({ home, cwd }, 'bus', 'read', ...remote)).stderr).toContain('[BUS_UNNAMED]')
  })
})

describe('bus verify and bus rotate', () => {
  it('find what is damaged, and say so wherever it is left out', async () => {
    verifies('S002.forms')
    const { home, file } = scene()
    await warmPostern({ home }, 'bus', 'post', ...P, 'before')
    expect((await warmPostern({ home }, 'bus', 'verify', ...P)).stdout).toMatch(
      /^p\/t: sound, 1 entry, \d+ bytes, 1 file\n$/,
    )
    writeFileSync(file, `${readFileSync(file, 'utf8')}---\nmsg_id: MSG-9\nts: 2026`)
    await warmPostern({ home }, 'bus', 'post', ...P, 'after')
    const verified = await warmPostern({ home }, 'bus', 'verify', ...P)
    expect(verified.exit).toBe(1)
    expect(verified.stdout).toMatch(
      /^p\/t: damaged, 2 entries, .*\n {2}TASK-MESSAGE-BUS\.md, \d+ bytes from byte \d+ on/,
    )
    const json = await warmPostern({ home }, 'bus', 'verify', ...P, '--json')
    expect({ exit: json.exit, ...JSON.parse(json.stdout) }).toMatchObject({ exit: 1, isSound: false, entries: 2 })
    const read = await warmPostern({ home }, 'bus', 'read', ...P)
    expect(read.stdout).toMatch(/│ before\n.*\n│ after\n$/)
    expect(read.stderr).toBe(
      '1 part of the file is no entry and left out: "postern bus verify --project p --task t" tells more\n',
    )
  })

  it('set aside what is there, and cursors stay good', async () => {
    verifies('S002.forms')
    const { home } = scene()
    const first = await warmPosternJson<Posted>({ home }, 'bus', 'post', ...P, 'first')
    await warmPostern({ home }, 'bus', 'post', ...P, 'second')
    const over = await warmPostern({ home }, 'bus', 'rotate', ...P, '--over', '64MB')
    expect(over.stdout).toMatch(/^Nothing was set aside: it has \d+ bytes\.\n$/)
    expect((await warmPostern({ home }, 'bus', 'rotate', ...P)).stdout).toMatch(
      /^Set aside: TASK-MESSAGE-BUS\.0001\.md with \d+ bytes\.\n$/,
    )
    await warmPostern({ home }, 'bus', 'post', ...P, 'third')
    const { items } = await warmPosternJson<Page>({ home }, 'bus', 'read', ...P, '--after', first.msg_id)
    expect(items.map(({ body }) => body)).toEqual(['second', 'third'])
  })
})
