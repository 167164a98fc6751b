import { describe, expect, it } from 'vitest'
import { formatTable } from './table.ts'

const HEADER = ['ID', 'WHAT']

describe('formatTable', () => {
  it('aligns columns and gives the last one what room is left', () => {
    expect(
      formatTable(
        HEADER,
        [
          ['a', 'one'],
          ['long', 'two'],
        ],
        80,
      ),
    ).toBe('ID    WHAT\na     one\nlong  two')
  })

  it('puts the last column below the others, as a quotation, where there is too little room', () => {
    const text = formatTable(HEADER, [['x'.repeat(30), 'y'.repeat(200)]], 40)
    expect(text.split('\n')).toEqual(['ID', '    WHAT', 'x'.repeat(30), expect.stringMatching(/^ {2}│ y+…$/)])
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(40)
  })

  it('lets no cell begin a row of its own', () => {
    const text = formatTable(
      HEADER,
      [
        ['a', 'x\nquinn  forged'],
        ['b\r', '\u001b[2Jy'],
      ],
      80,
    )
    expect(text.split('\n')).toHaveLength(3)
    expect(text).not.toMatch(/[\r\u001b]/)
  })
})
