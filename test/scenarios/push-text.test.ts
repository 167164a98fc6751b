import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { postern, posternJson } from '../helpers/command.ts'
import { fastFolder } from '../helpers/temp.ts'

const FROM_BYTES = ['sh', '-c', 'cat "$HOME/bytes" | "$@"', 'sh']

async function openHome(): Promise<string> {
  const home = fastFolder()
  writeFileSync(join(home, 'bytes'), Buffer.from('caf\xe9', 'latin1'))
  for (const agent of ['quinn', 'ann']) await postern({ home }, 'agent', 'add', agent)
  return home
}

describe('text that is not UTF-8', () => {
  it('is refused by inbox push, on stdin and in a file, and nothing is stored', async () => {
    const home = await openHome()
    const file = join(home, 'bytes')
    for (const [words, wrap] of [
      [['-'], FROM_BYTES],
      [['--file', '-'], FROM_BYTES],
      [['--file', file], undefined],
    ] as const) {
      const pushed = await postern({ home, ...(wrap && { wrap }) }, 'inbox', 'push', '--to', 'quinn', ...words)
      expect(pushed).toMatchObject({ exit: 64, stdout: '' })
      expect(pushed.stderr).toMatch(/^postern: The text of the (standard input|file \S+) is not UTF-8\. Convert it/)
    }
    expect(await posternJson({ home }, 'inbox', 'list', '--agent', 'quinn')).toMatchObject({ items: [] })
  })

  it('refuses a named pipe without a writer instead of blocking', async () => {
    const home = await openHome()
    const pipe = join(home, 'pipe')
    execFileSync('mkfifo', [pipe])
    for (const words of [
      ['inbox', 'push', '--to', 'quinn', '--file', pipe],
      ['bus', 'post', '--project', 'p', '--body-file', pipe],
      ['handoff', 'leave', '--type', 'learning', '--file', pipe],
      ['run', '--project', 'p', '--prompt', pipe, '--', 'true'],
    ]) {
      const { exit, stderr } = await postern({ home }, ...words)
      expect({ exit, stderr }, words.join(' ')).toMatchObject({
        exit: 64,
        stderr: expect.stringContaining('named pipe'),
      })
    }
    const substitution = ['bash', '-c', '"$@" --file <(printf from-a-command)', 'bash']
    await postern({ home, wrap: substitution }, 'inbox', 'push', '--to', 'quinn')
    expect((await postern({ home }, 'inbox', 'drain', '--agent', 'quinn')).stdout).toContain('from-a-command')
  })

  it('is kept byte for byte by bus post', async () => {
    const home = await openHome()
    const place = ['--project', 'p', '--task', 't']
    await postern({ home, wrap: FROM_BYTES }, 'bus', 'post', ...place, '-')
    const base64 = Buffer.from('caf\xe9', 'latin1').toString('base64')
    expect(await posternJson({ home }, 'bus', 'read', ...place)).toMatchObject({ items: [{ body_base64: base64 }] })
  })
})

describe('inbox show --raw', () => {
  it('prints the content byte for byte, and nothing else', async () => {
    const home = await openHome()
    for (const content of ['no line break at the end', 'two\n\n', ' grüße ']) {
      const { id } = await posternJson<{ id: string }>({ home, stdin: content }, 'inbox', 'push', '--to', 'quinn', '-')
      expect(await postern({ home }, 'inbox', 'show', id, '--raw')).toEqual({ exit: 0, stdout: content, stderr: '' })
    }
  })
})

describe('--to all', () => {
  it('reaches every agent, as --broadcast does, and is refused beside other recipients', async () => {
    const home = await openHome()
    for (const to of [['--to', 'all'], ['--broadcast']]) {
      await postern({ home }, 'inbox', 'push', ...to, 'all hands')
      for (const agent of ['quinn', 'ann'])
        expect((await postern({ home }, 'inbox', 'drain', '--agent', agent)).stdout).toContain('all hands')
    }
    const mixed = await postern({ home }, 'inbox', 'push', '--to', 'all,quinn', 'x')
    expect(mixed).toMatchObject({ stdout: '' })
    expect(mixed.exit).not.toBe(0)
    expect((await postern({ home }, 'inbox', 'push', '--help')).stdout).toContain('or all (everybody)')
  })
})
