import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestBus, PROJECT, plant, TASK } from '../../../test/helpers/bus/bus-files.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import type { BusAttachment } from '../../model/bus/entry.ts'
import type { AttachmentData, BusShelf } from '../bus-shelf.ts'

const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex')

async function keep(shelf: BusShelf, file: AttachmentData): Promise<BusAttachment> {
  const { attachment, keep } = shelf.prepareAttachment(TASK, file)
  await keep()
  return attachment
}

describe('what is kept', () => {
  it('lies beside the bus, for its owner alone, with its size and checksum', async () => {
    const { shelf, path } = openTestBus()
    const bytes = Buffer.from([0, 255, 10, 13])
    const { path: kept, ...rest } = await keep(shelf, { name: 'report.pdf', bytes })
    expect(kept).toMatch(/^attachments\/\d{8}-\d{6}-[a-z2-7]{8}-report\.pdf$/)
    expect(rest).toEqual({ size_bytes: 4, sha256: sha256(bytes) })
    const file = join(dirname(path), kept)
    expect(readFileSync(file)).toEqual(bytes)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
    expect(await shelf.attached(TASK, kept)).toEqual({ path: kept, ...rest })
  })

  it('is written only when that is asked for', async () => {
    const { shelf, path } = openTestBus()
    const { attachment, keep } = shelf.prepareAttachment(TASK, { name: 'a', bytes: Buffer.from('x') })
    expect(existsSync(dirname(path))).toBe(false)
    await keep()
    expect(readFileSync(join(dirname(path), attachment.path), 'utf8')).toBe('x')
  })

  it('never takes the place of another', async () => {
    const { shelf, path } = openTestBus()
    const kept = await Promise.all(
      Array.from({ length: 50 }, (_, at) => keep(shelf, { name: 'a', bytes: Buffer.from(`${at}`) })),
    )
    const contents = kept.map((each) => readFileSync(join(dirname(path), each.path), 'utf8'))
    expect(contents).toEqual(Array.from({ length: 50 }, (_, at) => `${at}`))
    expect(readdirSync(join(dirname(path), 'attachments'))).toHaveLength(50)
  })

  it.each([
    '../../../etc/passwd',
    '/etc/passwd',
    'a\\..\\b',
    '..',
    '',
    '.hidden',
    'ü\n\0',
    'x'.repeat(4_000),
  ])('has a harmless name, whatever it is called: %j', async (name) => {
    const { shelf, path } = openTestBus()
    const { path: kept } = await keep(shelf, { name, bytes: Buffer.from('x') })
    expect(kept).toMatch(/^attachments\/[A-Za-z0-9][A-Za-z0-9._%~-]+$/)
    expect(existsSync(join(dirname(path), kept))).toBe(true)
  })

  it('is refused where its folder is a link', async () => {
    const { shelf, path } = openTestBus()
    const elsewhere = temporaryFolder()
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(elsewhere, join(dirname(path), 'attachments'))
    await expect(keep(shelf, { name: 'a', bytes: Buffer.from('x') })).rejects.toMatchObject({
      code: 'BUS_UNUSABLE',
    })
    expect(readdirSync(elsewhere)).toEqual([])
  })
})

describe('what lies in the folder already', () => {
  it('is told with its size and checksum', async () => {
    const { shelf, root } = openTestBus()
    const text = 'x'.repeat(3_000_000)
    plant(join(root, 'atlas/runs/run 1/out.txt'), text)
    expect(await shelf.attached(PROJECT, 'runs/run 1/out.txt')).toEqual({
      path: 'runs/run 1/out.txt',
      size_bytes: text.length,
      sha256: sha256(text),
    })
  })

  it('is reached where the root itself is a link', async () => {
    const real = temporaryFolder()
    plant(join(real, 'atlas/a.txt'), 'a')
    const link = join(temporaryFolder(), 'link')
    symlinkSync(real, link)
    const { shelf } = openTestBus({ root: link })
    expect(await shelf.attached(PROJECT, 'a.txt')).toMatchObject({ size_bytes: 1 })
  })

  it.each([
    '',
    '/etc/passwd',
    '../secret',
    'a/../../secret',
    './a.txt',
    'a//b',
    'a/',
    'a\0b',
    'missing.txt',
    'a.txt/b',
    'x'.repeat(5_000),
    `${'x'.repeat(300)}/a`,
  ])('is refused by a path such as %j', async (path) => {
    const { shelf, root } = openTestBus()
    plant(join(root, 'secret'), 'secret')
    plant(join(root, 'atlas/a.txt'), 'a')
    await expect(shelf.attached(PROJECT, path)).rejects.toMatchObject({ code: 'ATTACHMENT_REFUSED' })
  })

  it.each([
    'link',
    'folder-link/secret',
    'folder',
    'pipe',
    'null',
  ])('is refused where it is no plain file: %s', async (name) => {
    const { shelf, root } = openTestBus()
    const elsewhere = temporaryFolder()
    writeFileSync(join(elsewhere, 'secret'), 'secret')
    const folder = join(root, 'atlas')
    mkdirSync(join(folder, 'folder'), { recursive: true })
    symlinkSync(join(elsewhere, 'secret'), join(folder, 'link'))
    symlinkSync(elsewhere, join(folder, 'folder-link'))
    spawnSync('mkfifo', [join(folder, 'pipe')])
    if (process.getuid?.() === 0) spawnSync('mknod', [join(folder, 'null'), 'c', '1', '3'])
    await expect(shelf.attached(PROJECT, name)).rejects.toMatchObject({ code: 'ATTACHMENT_REFUSED' })
  })
})
