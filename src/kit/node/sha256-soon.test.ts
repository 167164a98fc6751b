import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { sha256Soon } from './sha256-soon.ts'

it('is the checksum of the bytes, however many were summed up before', () => {
  for (let length = 0; length < 400; length++) {
    const text = '\u00e9'.repeat(length)
    for (const data of [text, Buffer.alloc(length, length)])
      expect(sha256Soon(data)).toBe(createHash('sha256').update(data).digest('hex'))
  }
})
