import { execFileSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { readConfigText } from './config-text.ts'

const REFUSED = 'it is not a plain file of at most 64 KB'

it('reads a configuration of up to 64 KB, and refuses a larger one', () => {
  const path = join(temporaryFolder(), 'config.json')
  writeFileSync(path, 'x'.repeat(64 * 1024))
  expect(readConfigText(path)).toHaveLength(64 * 1024)
  writeFileSync(path, 'x'.repeat(64 * 1024 + 1))
  expect(() => readConfigText(path)).toThrow(REFUSED)
})

it('follows a link only if it is told to', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'file'), 'x')
  symlinkSync(join(folder, 'file'), join(folder, 'link'))
  expect(() => readConfigText(join(folder, 'link'))).toThrow('symbolic link')
  expect(readConfigText(join(folder, 'link'), { followsLinks: true })).toBe('x')
})

it('waits at nothing: pipes, devices and folders are refused', () => {
  const folder = temporaryFolder()
  execFileSync('mkfifo', [join(folder, 'pipe')])
  for (const path of [join(folder, 'pipe'), '/dev/zero', folder])
    expect(() => readConfigText(path, { followsLinks: true }), path).toThrow(REFUSED)
})
