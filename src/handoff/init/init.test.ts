import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeProject, plantFile } from '../../../test/helpers/handoff/projects.ts'
import { IGNORED_LINES, withIgnoredLines } from './gitignore.ts'

const LINES = 'inbox/*.md\n!inbox/.gitkeep\noutbox/*.md\n!outbox/.gitkeep\n'

describe('a project that is set up', () => {
  it('has the folders of the seed, and what keeps them in git and items out of it', async () => {
    const { shelf, place, root } = await makeProject()
    expect(await shelf.isInitialised(place)).toBe(false)
    const { made, ...folders } = await shelf.init(place)
    expect(folders).toEqual({ root, inbox: join(root, 'inbox'), outbox: join(root, 'outbox') })
    expect([...made].sort()).toEqual([
      '.gitignore',
      'inbox',
      'inbox/.gitkeep',
      'inbox/processed',
      'inbox/processed/.gitignore',
      'inbox/quarantine',
      'inbox/quarantine/.gitignore',
      'outbox',
      'outbox/.gitkeep',
    ])
    expect(readFileSync(join(root, '.gitignore'), 'utf8')).toBe(LINES)
    expect(await shelf.isInitialised(place)).toBe(true)
  })

  it('is left as it is the second time', async () => {
    const { shelf, place, root } = await makeProject()
    await shelf.init(place)
    expect((await shelf.init(place)).made).toEqual([])
    expect(readFileSync(join(root, '.gitignore'), 'utf8')).toBe(LINES)
    expect(readdirSync(root).sort()).toEqual(['.git', '.gitignore', 'inbox', 'outbox'])
  })

  it('shows git nothing but its marks, whatever lies there', async () => {
    const { shelf, place, root } = await makeProject()
    execFileSync('git', ['init', '--quiet'], { cwd: root, stdio: 'pipe' })
    await shelf.init(place)
    for (const folder of ['inbox', 'inbox/processed', 'inbox/quarantine', 'outbox'])
      plantFile(join(root, folder, 'x.md'), 'x')
    const seen = execFileSync('git', ['status', '--porcelain', '--untracked-files=all'], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(seen.trim().split('\n').sort()).toEqual(['?? .gitignore', '?? inbox/.gitkeep', '?? outbox/.gitkeep'])
  })

  it('is known as one from what git keeps of it', async () => {
    const { shelf, place, inbox } = await makeProject()
    plantFile(join(inbox, '.gitkeep'), '')
    expect(await shelf.isInitialised(place)).toBe(true)
  })

  it('is not any project that has a folder of that name', async () => {
    const { shelf, place, inbox } = await makeProject()
    plantFile(join(inbox, 'notes.md'), 'x')
    expect(await shelf.isInitialised(place)).toBe(false)
  })

  it('keeps what stood in its .gitignore, with its rights, byte for byte', async () => {
    const { shelf, place, root } = await makeProject()
    const path = join(root, '.gitignore')
    const before = Buffer.from('node_modules\r\n\xff\xfe\r\ninbox/*.md  \r\n*.log', 'latin1')
    writeFileSync(path, before)
    chmodSync(path, 0o640)
    await shelf.init(place)
    const added = '\r\n!inbox/.gitkeep\r\noutbox/*.md\r\n!outbox/.gitkeep\r\n'
    expect(readFileSync(path, 'latin1')).toBe(before.toString('latin1') + added)
    expect(statSync(path).mode & 0o777).toBe(0o640)
  })

  it('keeps its .gitignore where there is no room for a larger one', async () => {
    const { shelf, place, root } = await makeProject()
    const before = '# a line of a file that is longer than one block\n'.repeat(100)
    writeFileSync(join(root, '.gitignore'), before)
    // No file may be larger than 1 KB there: the system writes as much as it may, and tells how much that was.
    const limited = ['-c', 'ulimit -f 1; exec "$@"', 'bash', process.execPath, '--input-type=module', '--eval']
    const source = new URL('../open-handoff.ts', import.meta.url).href
    const script = `const { openHandoff } = await import(${JSON.stringify(source)})
      await openHandoff({ shared: false }).init(${JSON.stringify(place)})`
    expect(() => execFileSync('bash', [...limited, script], { stdio: 'pipe' })).toThrow()
    expect(readFileSync(join(root, '.gitignore'), 'utf8')).toBe(before)
    expect(await shelf.init(place)).toMatchObject({ made: ['.gitignore'] })
  })

  it.each([
    ['inbox', 'it is a link'],
    ['inbox/processed', 'it is a link'],
    ['outbox', 'it is a link'],
  ])('is refused where %s is a link', async (name, reason) => {
    const { shelf, place, root } = await makeProject()
    mkdirSync(join(root, 'elsewhere'))
    mkdirSync(join(root, 'inbox'), { recursive: name !== 'inbox' })
    if (name === 'inbox') execFileSync('rmdir', [join(root, 'inbox')])
    symlinkSync(join(root, 'elsewhere'), join(root, name))
    const error = { code: 'HANDOFF_UNUSABLE', details: { path: join(root, name), reason } }
    await expect(shelf.init(place)).rejects.toMatchObject(error)
    expect(readdirSync(join(root, 'elsewhere'))).toEqual([])
  })

  it('is refused where .gitignore is a link, which git would not follow either', async () => {
    const { shelf, place, root } = await makeProject()
    const target = plantFile(join(root, 'target'), 'x')
    symlinkSync(target, join(root, '.gitignore'))
    await expect(shelf.init(place)).rejects.toMatchObject({ code: 'HANDOFF_UNUSABLE' })
    expect(readFileSync(target, 'utf8')).toBe('x')
  })
})

describe('withIgnoredLines', () => {
  it.each([
    ['an empty file', '', LINES],
    ['a file without an end', 'a', `a\n${LINES}`],
    [
      'a file that has some',
      `outbox/*.md\n!inbox/.gitkeep\n`,
      'outbox/*.md\n!inbox/.gitkeep\ninbox/*.md\n!outbox/.gitkeep\n',
    ],
    ['a file that has all', `a\n${LINES}b`, `a\n${LINES}b`],
    ['a file of Windows', 'a\r\n', `a\r\n${LINES.replaceAll('\n', '\r\n')}`],
  ])('completes %s', (_, text, expected) => {
    expect(withIgnoredLines(text)).toBe(expected)
    expect(withIgnoredLines(expected)).toBe(expected)
  })

  it('adds what the seed adds', () => {
    expect(IGNORED_LINES).toEqual(['inbox/*.md', '!inbox/.gitkeep', 'outbox/*.md', '!outbox/.gitkeep'])
  })
})
