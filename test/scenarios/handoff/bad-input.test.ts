import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fastFolder } from '../../helpers/temp.ts'
import { warmPostern } from '../../helpers/warm-command.ts'
import { verifies } from '../verifies.ts'
import { makeRepository, type Repository } from './repository.ts'

const LEARNING = ['leave', '--type', 'learning'] as const

/** The command fails so, in words and in JSON. */
async function expectRefusal(
  { home, folder }: Pick<Repository, 'home' | 'folder'>,
  words: readonly string[],
  { exit, code }: { readonly exit: number; readonly code: string },
): Promise<void> {
  const plain = await warmPostern({ home, cwd: folder }, 'handoff', ...words)
  expect({ exit: plain.exit, stdout: plain.stdout, stderr: plain.stderr }).toEqual({
    exit,
    stdout: '',
    stderr: expect.stringMatching(new RegExp(`^postern: .*\\[${code}\\]\\n$`)),
  })
  const json = await warmPostern({ home, cwd: folder }, 'handoff', ...words.slice(0, 1), '--json', ...words.slice(1))
  expect([json.exit, JSON.parse(json.stdout).error.code]).toEqual([exit, code])
}

const USAGE = { exit: 64, code: 'USAGE' }
const INVALID = { exit: 64, code: 'HANDOFF_ITEM_INVALID' }

describe('what cannot be left', () => {
  it.each([
    ['an unknown type', ['leave', '--type', 'idea', 'x'], { exit: 64, code: 'HANDOFF_TYPE_INVALID' }],
    ['a type in capitals', ['leave', '--type', 'LEARNING', 'x'], { exit: 64, code: 'HANDOFF_TYPE_INVALID' }],
    ['no type', ['leave', 'x'], USAGE],
    ['an unknown priority', [...LEARNING, '--priority', '1', 'x'], { exit: 64, code: 'HANDOFF_PRIORITY_INVALID' }],
    ['no text', [...LEARNING], INVALID],
    ['an empty text', [...LEARNING, ''], INVALID],
    ['a blank text', [...LEARNING, ' \n\t'], INVALID],
    ['an empty input', [...LEARNING, '-'], INVALID],
    ['two texts', [...LEARNING, '--file', 'x', 'y'], USAGE],
    ['a file that is not there', [...LEARNING, '--file', 'gone'], { exit: 64, code: 'FILE_UNREADABLE' }],
    ['a folder as a file', [...LEARNING, '--file', 'inbox'], { exit: 64, code: 'FILE_UNREADABLE' }],
    ['an endless file', [...LEARNING, '--file', '/dev/zero'], INVALID],
    ['a text that is too large', [...LEARNING, 'x'.repeat(70_000)], INVALID],
    ['a session of two lines', [...LEARNING, '--session', 'a\nb', 'x'], INVALID],
    ['an unknown agent', [...LEARNING, '--to', 'nobody', 'x'], { exit: 5, code: 'AGENT_NOT_FOUND' }],
    ['no agent at all', [...LEARNING, '--to', '../x', 'x'], { exit: 64, code: 'AGENT_ID_INVALID' }],
    ['a hostile repository', [...LEARNING, '--to-repo', '../x', 'x'], INVALID],
    ['its own repository', [...LEARNING, '--to-repo', 'shop', 'x'], INVALID],
    ['one repository and all', [...LEARNING, '--to-repo', 'a', '--to-repos', 'x'], USAGE],
    ['a reminder of what is no thread', [...LEARNING, '--in', '2h', 'x'], INVALID],
    ['a gate of what is no thread', [...LEARNING, '--gate', 'x'], INVALID],
    ['a thread that holds nobody', ['leave', '--type', 'thread', '--gate', 'x'], USAGE],
    ['two times', ['leave', '--type', 'thread', '--in', '2h', '--cron', '* * * * *', 'x'], USAGE],
    ['a zone alone', ['leave', '--type', 'thread', '--in', '2h', '--tz', 'UTC', 'x'], USAGE],
  ] as const)('is %s', async (_, words, refusal) => {
    verifies('S004.refusals')
    const shop = await makeRepository()
    await expectRefusal(shop, words, refusal)
    expect(shop.items()).toEqual([])
  })

  it.each([
    ['a duration that is none', ['--in', 'soon'], 'DURATION_INVALID'],
    ['a date that is none', ['--at', 'tomorrow'], 'PLAN_TIME_INVALID'],
    ['a cron expression that is none', ['--cron', 'x'], 'CRON_INVALID'],
    ['an unknown zone', ['--cron', '0 9 * * 1', '--tz', 'Nowhere/Land'], 'ZONE_UNKNOWN'],
  ] as const)('is %s', async (_, time, code) => {
    verifies('S004.refusals')
    const shop = await makeRepository()
    expect(await warmPostern({ home: shop.home }, 'agent', 'add', 'quinn')).toMatchObject({ exit: 0 })
    const words = ['leave', '--type', 'thread', '--agent', 'quinn', ...time, 'x']
    await expectRefusal(shop, words, { exit: 64, code })
    expect(shop.items()).toEqual([])
  })

  it('is what is no text', async () => {
    const shop = await makeRepository()
    writeFileSync(join(shop.folder, 'bytes'), Buffer.from([0xff, 0xfe, 0x00]))
    await expectRefusal(shop, [...LEARNING, '--file', 'bytes'], INVALID)
  })
})

describe('other commands', () => {
  it.each([
    ['inherit', '--max-tokens', '0'],
    ['inherit', '--max-tokens', 'many'],
    ['inherit', 'x'],
    ['show'],
    ['outbox', 'write', 'x'],
    ['lst'],
  ])('refuse what they do not understand: %s %s %s', async (...words) => {
    verifies('S004.refusals')
    await expectRefusal(await makeRepository(), words, USAGE)
  })

  it.each([
    ['../../x', '/etc/passwd', '..', '.', '', 'a/b.md', 'gone.md', '.gitkeep', 'processed', `${'x'.repeat(300)}.md`],
  ])('show only items, by their own names', async (...names) => {
    verifies('S004.refusals')
    const shop = await makeRepository()
    writeFileSync(join(shop.folder, 'secret.md'), 'secret')
    symlinkSync(join(shop.folder, 'secret.md'), join(shop.folder, 'inbox/link.md'))
    for (const name of [...names, '../secret.md', 'link.md']) {
      const { exit, stdout, stderr } = await shop.run('show', '--', name)
      expect([name, exit, stdout]).toEqual([name, 5, ''])
      expect(stderr).toMatch(/^postern: .*\[HANDOFF_ITEM_NOT_FOUND\]\n$/)
    }
  })

  it.each([
    ['../x', 'x'],
    ['Report', 'x'],
    ['', 'x'],
    ['governance-report', ' '],
  ])('write nothing into the outbox under the kind %j with the text %j', async (kind, text) => {
    verifies('S004.refusals')
    const shop = await makeRepository()
    const { exit, stderr } = await shop.run('outbox', 'write', '--kind', kind, text)
    expect([exit, stderr]).toEqual([64, expect.stringContaining('[HANDOFF_ITEM_INVALID]')])
    expect(shop.items('outbox')).toEqual([])
  })

  it('remove nothing for a duration that is none', async () => {
    const shop = await makeRepository()
    await expectRefusal(shop, ['clean', '--older-than', 'long'], { exit: 64, code: 'DURATION_INVALID' })
  })
})

const EVERY: readonly string[][] = [
  ['init'],
  [...LEARNING, 'x'],
  ['inherit'],
  ['list'],
  ['show', 'x.md'],
  ['outbox', 'write', '--kind', 'note', 'x'],
  ['outbox', 'list'],
  ['clean'],
]

describe('every command', () => {
  it.each(EVERY)('is refused outside of a project: %s', async (...words) => {
    verifies('S004.refusals')
    const home = fastFolder()
    const { exit, stderr } = await warmPostern({ home, cwd: fastFolder() }, 'handoff', ...words)
    expect([exit, stderr]).toEqual([
      64,
      expect.stringMatching(/^postern: .* is not inside a project\. .*\[HANDOFF_OUTSIDE\]/),
    ])
    const gone = await warmPostern({ home }, 'handoff', ...words, '--project', join(home, 'gone'))
    expect([gone.exit, gone.stderr]).toEqual([64, expect.stringContaining('[HANDOFF_OUTSIDE]')])
  })

  it.each(EVERY)('names the folder that it cannot use, and loses nothing: %s', async (...words) => {
    verifies('S004.refusals')
    const home = fastFolder()
    const folder = join(fastFolder(), 'shop')
    mkdirSync(join(folder, '.git'), { recursive: true })
    for (const box of ['inbox', 'outbox']) writeFileSync(join(folder, box), 'a file')
    const { exit, stderr } = await warmPostern({ home, cwd: folder }, 'handoff', ...words)
    expect([exit, stderr]).toEqual([
      69,
      expect.stringMatching(/(?:inbox|outbox) cannot be used: .*\[HANDOFF_UNUSABLE\]/),
    ])
  })
})
