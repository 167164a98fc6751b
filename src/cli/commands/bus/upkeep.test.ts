import { expect, it } from 'vitest'
import { busRotate, parseSize } from './upkeep.ts'

it.each([
  ['0', 0],
  ['1000', 1_000],
  ['64MB', 64 * 1024 * 1024],
  ['64 MiB', 64 * 1024 * 1024],
  ['1.5k', 1_536],
  ['1G', 1024 ** 3],
  ['12b', 12],
])('reads the size %s', (text, bytes) => {
  expect(parseSize(busRotate, text)).toBe(bytes)
})

it.each(['', '-1', '1TB', 'many', '1e9', '64 M B'])('refuses %j as a size', (text) => {
  expect(() => parseSize(busRotate, text)).toThrow('--over takes a size')
})
