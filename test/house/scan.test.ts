// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are source code.
import { describe, expect, it } from 'vitest'
import { lineOf, scan } from './scan.ts'

const stringsOf = (text: string) => scan(text).strings.map((literal) => literal.text)

/** Code with the blanks taken out, to be read more easily. */
const codeOf = (text: string) =>
  scan(text)
    .code.replace(/[ \n]+/g, ' ')
    .trim()

describe('scan', () => {
  it('keeps every position and every line', () => {
    const text = "a /* b\nc */ 'd\\'e' `f\n${g}h` // i\nj"
    const { code } = scan(text)
    expect(code.length).toBe(text.length)
    expect(code.split('\n').length).toBe(text.split('\n').length)
    expect(code.indexOf('g')).toBe(text.indexOf('g'))
  })

  it.each([
    ["a // b 'c'\nd", 'a d'],
    ["a /* 'b\n*/ c", 'a c'],
    ["x = '// no comment'; y", "x = ' '; y"],
    ['x = "/*"; y = "*/"', 'x = " "; y = " "'],
    ["x = 'it\\'s'; y", "x = ' '; y"],
    ['x = /[\'"`]/.test(y) // z', 'x = / /.test(y)'],
    ['x = /[/]\\//g; y', 'x = / /g; y'],
    ['x = a / b / c', 'x = a / b / c'],
    ['x = (a) / b; // c/', 'x = (a) / b;'],
    ["return /'/", 'return / /'],
    ['x = `a ${b} c`', 'x = ` ${b} `'],
    ['x = `a ${{ b: `${c}` }} d` + e', 'x = ` ${{ b: `${c}` }} ` + e'],
    ["x = `${f('}')} // no`; y", "x = `${f(' ')} `; y"],
    ['x = `\\`${a}\\${`; y', 'x = ` ${a} `; y'],
  ])('reads %j', (text, code) => {
    expect(codeOf(text)).toBe(code)
  })

  it('gives the strings of the code and none of the comments', () => {
    expect(stringsOf("f('a', \"b\", `c ${d('e')} f`) // 'g'\n/* 'h' */")).toEqual(['a', 'b', 'c ', 'e'])
  })

  it('comes to an end whatever it is fed', () => {
    for (const text of ["'", '"\\', '`', '`${', '`${`', '/*', '/', '/[', '}', '`${}}', "'a\n`b"])
      expect(scan(text).code.length).toBe(text.length)
  })
})

it('counts lines from one', () => {
  expect([0, 1, 2, 3].map((position) => lineOf('a\nb\n', position))).toEqual([1, 1, 2, 2])
})
