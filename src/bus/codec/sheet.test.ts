import { expect, it } from 'vitest'
import { Sheet } from './sheet.ts'

it('holds what was added, in order, however much that is', () => {
  const sheet = new Sheet()
  const parts = ['plain', 'äöü €', '\u{1f4ec}'.repeat(3_000), 'x'.repeat(100_000)]
  for (const part of parts) {
    sheet.addText(part)
    sheet.addBytes(Buffer.from('|'))
  }
  expect(sheet.bytes.toString()).toBe(parts.map((part) => `${part}|`).join(''))
})

it('is cleared without a trace of what was there', () => {
  const sheet = new Sheet()
  sheet.addText('goes')
  sheet.clear()
  expect(sheet.length).toBe(0)
  sheet.addText('new')
  expect(sheet.bytes.toString()).toBe('new')
})

it('gives back what only a very large batch has needed', () => {
  const sheet = new Sheet()
  sheet.addBytes(Buffer.alloc(2 * 1024 * 1024))
  sheet.clear()
  sheet.addText('x')
  expect(sheet.bytes.buffer.byteLength).toBeLessThan(1024 * 1024)
})
