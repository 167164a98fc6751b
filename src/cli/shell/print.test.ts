import { expect, it } from 'vitest'
import { answer } from './print.ts'

it('never sends a control character to a terminal, whatever a server has put into a field', () => {
  const lines: string[] = []
  const stdout = { isTerminal: true, columns: 80, line: (text: string) => void lines.push(text) }
  answer({ isJson: false, stdout }, {}, 'id\x1b]52;c;eA==\x07\x9b2J\r\x00\n\tnext')
  expect(lines).toEqual(['id\\u{1b}]52;c;eA==\\u{7}\\u{9b}2J\\u{d}\\u{0}\n\tnext'])
})
