import { describe, expect, it } from 'vitest'
import { joinFrontMatter, splitFrontMatter } from './front-matter.ts'

describe('splitFrontMatter', () => {
  it.each([
    ['as the seed writes it', '---\na: b\n---\n\nbody\n', 'a: b\n', 'body'],
    ['with a byte order mark', '\ufeff---\na: b\n---\n\nbody\n', 'a: b\n', 'body'],
    ['with the line ends of Windows', '---\r\na: b\r\n---\r\n\r\nbody\r\nmore\r\n', 'a: b\r\n', 'body\r\nmore'],
    ['with mixed line ends', '---\r\na: b\n---\n\r\nbody\n', 'a: b\n', 'body'],
    ['with spaces behind the rules', '--- \na: b\n---\t\nbody', 'a: b\n', 'body'],
    ['with nothing between the rules', '---\n---\nbody\n', '', 'body'],
    ['without a body', '---\na: b\n---', 'a: b\n', ''],
    ['without a blank line', '---\na: b\n---\nbody', 'a: b\n', 'body'],
    ['with further blank lines', '---\na: b\n---\n\n\nbody\n\n', 'a: b\n', '\nbody\n'],
    ['with further rules', '---\na: b\n---\n\nbody\n---\ntype: x\n---\n', 'a: b\n', 'body\n---\ntype: x\n---'],
  ])('splits a text %s', (_, text, fields, body) => {
    expect(splitFrontMatter(text)).toEqual({ fields, body })
  })

  it.each([
    ['empty', ''],
    ['nothing but a body', 'body\n'],
    ['a rule that is not the first line', '\n---\na: b\n---\n'],
    ['a rule that is longer', '----\na: b\n---\n'],
    ['a rule that is not closed', '---\na: b\n'],
    ['a rule that is closed by more', '---\na: b\n----\n'],
    ['a rule that is closed further right', '---\na: b\n ---\n'],
    ['a rule behind what only some take for a line end', '---\na: b\u2028---\n'],
  ])('finds none in a text that is or has %s', (_, text) => {
    expect(splitFrontMatter(text)).toBeUndefined()
  })
})

it('joins what it splits', () => {
  for (const body of ['', '\n', '\r', '\r\n', 'a\r', '---\n', '\n\na']) {
    expect(splitFrontMatter(joinFrontMatter({ fields: 'a: b\n', body }))).toEqual({ fields: 'a: b\n', body })
  }
})
