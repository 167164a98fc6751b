import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { BUS_LIMITS } from '../../model/bus/entry.ts'
import { attachFile } from './attach-file.ts'

const about = { kind: 'log' }

function scene() {
  const root = temporaryFolder()
  const folder = join(root, 'p', 't')
  const outside = join(root, 'outside.txt')
  mkdirSync(folder, { recursive: true })
  writeFileSync(outside, 'hello')
  return { folder, outside, bus: { place: { project_id: 'p', task_id: 't' }, root, files: {} } }
}

it('sends the bytes of a file along', async () => {
  const { outside, bus } = scene()
  const expected = { name: 'outside.txt', data: Buffer.from('hello').toString('base64'), kind: 'log' }
  expect((await attachFile({ file: outside, about, bus })).attachment).toEqual(expected)
  expect((await attachFile({ file: outside, about, bus: undefined })).attachment).toEqual(expected)
})

it('names what lies in the folder of the bus already, and nothing that only looks like it', async () => {
  const { folder, outside, bus } = scene()
  mkdirSync(join(folder, 'runs'))
  writeFileSync(join(folder, 'runs', '..out.txt'), 'there')
  const within = await attachFile({ file: join(folder, 'runs', '..out.txt'), about, bus })
  expect(within.attachment).toEqual({ path: 'runs/..out.txt', kind: 'log' })
  symlinkSync(outside, join(folder, 'link.txt'))
  expect((await attachFile({ file: join(folder, 'link.txt'), about, bus })).attachment).toHaveProperty('data')
})

it('copies what is too large to travel, for its owner alone, and takes it back', async () => {
  const { folder, outside, bus } = scene()
  truncateSync(outside, BUS_LIMITS.attachmentBytes + 1)
  const { attachment, undo } = await attachFile({ file: outside, about, bus })
  const copy = join(folder, attachment.path ?? '')
  expect(attachment.path).toMatch(/^attachments\/\d{8}-\d{6}-[^/]+-outside\.txt$/)
  expect(readFileSync(copy).equals(readFileSync(outside))).toBe(true)
  expect(statSync(copy).mode & 0o777).toBe(0o600)
  undo()
  expect(readdirSync(join(folder, 'attachments'))).toEqual([])
  await expect(attachFile({ file: outside, about, bus: undefined })).rejects.toMatchObject({
    code: 'ATTACHMENT_REFUSED',
  })
})

it('refuses what is no plain file, or cannot be read, or goes to a bus that cannot be', async () => {
  const { folder, outside, bus } = scene()
  for (const file of [folder, join(folder, 'nothing'), '/dev/null', 'a\0b']) {
    await expect(attachFile({ file, about, bus }), file).rejects.toMatchObject({ code: 'ATTACHMENT_REFUSED' })
  }
  const nowhere = { ...bus, place: { project_id: '..' } }
  await expect(attachFile({ file: outside, about, bus: nowhere })).rejects.toMatchObject({ code: 'BUS_ID_INVALID' })
})
