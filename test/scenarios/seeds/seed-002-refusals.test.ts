import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CommandOptions, postern } from '../../helpers/command.ts'
import { WITHOUT_ROOT } from '../../helpers/needs.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { warmPostern, warmPosternJson } from '../../helpers/warm-command.ts'
import { verifies } from '../verifies.ts'

const P = ['--project', 'p', '--task', 't'] as const

/** The exit code and the code of a refusal, which must not ask anybody to set a variable. */
async function refused(options: CommandOptions, ...args: readonly string[]): Promise<readonly [number, string]> {
  const { exit, stdout, stderr } = await warmPostern(options, 'bus', ...args, '--json')
  verifies('S002.no-variables')
  const { error } = JSON.parse(stdout)
  expect(`${error.message} ${error.next} ${stderr}`).not.toMatch(/environment|variable|JRUN|POSTERN_|export /i)
  return [exit, error.code]
}

describe('an id that is none', () => {
  // An argument cannot hold NUL: the system ends it there, so that this one comes through a server or a file only.
  it.each([
    ['..', '..'],
    ['../p', '../p'],
    ['a/b', 'a/b'],
    ['.hidden', '.hidden'],
    ['two lines', 'a\nb'],
    ['4,096 characters', 'x'.repeat(4_096)],
    ['nothing', ''],
  ])('%s', async (_name, id) => {
    verifies('S002.bad-input')
    const home = fastFolder()
    for (const place of [
      ['--project', id],
      ['--project', 'p', '--task', id],
    ]) {
      for (const command of [['post', 'text'], ['read'], ['watch'], ['issues'], ['verify'], ['rotate'], ['discover']]) {
        expect(await refused({ home }, ...command, ...place), command.join(' ')).toEqual([64, 'BUS_ID_INVALID'])
      }
    }
    for (const option of ['--run', '--issue']) {
      expect(await refused({ home }, 'post', ...P, `${option}=${id}`, 'text')).toEqual([64, 'BUS_ID_INVALID'])
    }
    expect(existsSync(join(home, 'run-agent'))).toBe(false)
  })
})

describe('an entry that is none', () => {
  it('is refused before anything is written', async () => {
    verifies('S002.bad-input')
    const home = fastFolder()
    writeFileSync(join(home, 'large'), 'x'.repeat(256 * 1024 + 1))
    const large = { home, stdin: 'x'.repeat(256 * 1024 + 1) }
    expect(await refused({ home }, 'post', ...P, '--body-file', 'large')).toEqual([64, 'BUS_BODY_TOO_LARGE'])
    expect(await refused(large, 'post', ...P)).toEqual([64, 'BUS_BODY_TOO_LARGE'])
    expect(await refused({ home }, 'post', ...P, '--body-file', 'nothing')).toEqual([64, 'FILE_UNREADABLE'])
    expect(await refused({ home }, 'post', ...P)).toEqual([64, 'BUS_ENTRY_INVALID'])
    expect(await refused({ home }, 'post', ...P, '--body', 'one', 'two')).toEqual([64, 'USAGE'])
    expect(await refused({ home }, 'post', ...P, '--type', 'a type', 'x')).toEqual([64, 'BUS_TYPE_INVALID'])
    expect(await refused({ home }, 'post', ...P, '--meta', 'status', 'x')).toEqual([64, 'USAGE'])
    expect(await refused({ home }, 'post', ...P, '--meta', `k=${'x'.repeat(20_000)}`, 'x')).toEqual([
      64,
      'BUS_ENTRY_INVALID',
    ])
    expect(await refused({ home }, 'post', ...P, '--to', 'nobody', 'x')).toEqual([5, 'AGENT_NOT_FOUND'])
    expect(await refused({ home }, 'post', ...P, '--select', 'a', 'x')).toEqual([64, 'BUS_ENTRY_INVALID'])
    // Without an end, and without a size that tells so.
    expect(await refused({ home }, 'post', ...P, '--body-file', '/dev/zero')).toEqual([64, 'BUS_BODY_TOO_LARGE'])
    for (const file of ['nothing', '/dev/null', '.']) {
      expect(await refused({ home }, 'post', ...P, '--attach', file, 'x')).toEqual([64, 'ATTACHMENT_REFUSED'])
    }
    expect(await refused({ home }, 'post', ...P, '--attach', 'large', '--type', 'a type', 'x')).toEqual([
      64,
      'BUS_TYPE_INVALID',
    ])
    expect(existsSync(join(home, 'run-agent'))).toBe(false)
  })

  it('is taken with a warning where it is only large', async () => {
    verifies('S002.bad-input')
    const home = fastFolder()
    const { stderr, exit } = await warmPostern({ home, stdin: 'x'.repeat(64 * 1024 + 1) }, 'bus', 'post', ...P)
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: 'postern: The body has 65537 bytes. Attach what is as large, and say in the body what it is.\n',
    })
    const { items } = await warmPosternJson<{ items: { body: string }[] }>({ home }, 'bus', 'read', ...P)
    expect(items.map(({ body }) => body.length)).toEqual([65_537])
  })
})

describe('a bus that cannot be read', () => {
  it('is told from one that is not meant at all', async () => {
    verifies('S002.bad-input')
    const home = fastFolder()
    expect(await refused({ home }, 'read')).toEqual([64, 'BUS_UNNAMED'])
    expect(await refused({ home }, 'post', 'x')).toEqual([64, 'BUS_UNNAMED'])
    expect(await refused({ home }, 'discover')).toEqual([64, 'BUS_UNNAMED'])
    for (const command of ['read', 'issues', 'verify', 'rotate']) {
      expect(await refused({ home }, command, ...P), command).toEqual([5, 'BUS_NOT_FOUND'])
    }
    expect(await refused({ home }, 'read', ...P, '--tail', 'many')).toEqual([64, 'VALUE_INVALID'])
    expect(existsSync(join(home, 'run-agent'))).toBe(false)
    await warmPostern({ home }, 'bus', 'post', ...P, 'x')
    expect(await refused({ home }, 'read', ...P, '--after', 'MSG-1')).toEqual([5, 'BUS_ENTRY_NOT_FOUND'])
    expect(await refused({ home }, 'read', ...P, '--after', 'MSG-1', '--tail', '1')).toEqual([64, 'USAGE'])
    expect(await refused({ home }, 'watch', ...P, '--after', 'MSG-1')).toEqual([5, 'BUS_ENTRY_NOT_FOUND'])
    expect(await refused({ home }, 'read', ...P, '--type', 'no type')).toEqual([64, 'BUS_TYPE_INVALID'])
  })

  it('is named again as it was named, where a part of it is damaged', async () => {
    verifies('S002.bad-input')
    const home = fastFolder()
    const cwd = join(home, 'repository')
    mkdirSync(cwd)
    writeFileSync(join(cwd, 'MESSAGE-BUS.md'), '---\nmsg_id: MSG-1\n---\nno time\n')
    const { stderr } = await warmPostern({ home, cwd }, 'bus', 'read')
    expect(stderr).toBe('1 part of the file is no entry and left out: "postern bus verify" tells more\n')
    expect((await warmPostern({ home, cwd }, 'bus', 'verify')).exit).toBe(1)
    await warmPostern({ home }, 'bus', 'post', ...P, 'x')
    appendFileSync(join(home, 'run-agent/p/t/TASK-MESSAGE-BUS.md'), 'in between\n')
    const named = await warmPostern({ home }, 'bus', 'read', ...P)
    expect(named.stderr).toContain('"postern bus verify --project p --task t"')
  })

  it('is left as it is where it is a link, or no file', async () => {
    verifies('S002.bad-input')
    const home = fastFolder()
    const file = join(home, 'run-agent/p/t/TASK-MESSAGE-BUS.md')
    await warmPostern({ home }, 'bus', 'post', ...P, 'x')
    const elsewhere = join(home, 'secret')
    writeFileSync(elsewhere, 'secret')
    symlinkSync(elsewhere, join(home, 'run-agent/p/PROJECT-MESSAGE-BUS.md'))
    mkdirSync(join(home, 'run-agent/q/PROJECT-MESSAGE-BUS.md'), { recursive: true })
    for (const command of [['post', 'x'], ['read'], ['verify']]) {
      for (const project of ['p', 'q']) {
        const what = `${command.join(' ')} ${project}`
        expect(await refused({ home }, ...command, '--project', project), what).toEqual([69, 'BUS_UNUSABLE'])
      }
    }
    expect(readFileSync(elsewhere, 'utf8')).toBe('secret')
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('is told where nobody may read it', async () => {
    verifies('S002.bad-input')
    const home = fastFolder()
    await postern({ home }, 'bus', 'post', ...P, 'x')
    chmodSync(join(home, 'run-agent/p/t/TASK-MESSAGE-BUS.md'), 0)
    const options = { home, wrap: WITHOUT_ROOT }
    expect(await refused(options, 'read', ...P)).toEqual([69, 'BUS_UNUSABLE'])
    expect(await refused(options, 'post', ...P, 'y')).toEqual([69, 'BUS_UNUSABLE'])
  })
})
