import { describe, expect, it } from 'vitest'
import { fillText } from './steps.ts'

describe('names of topics in what is to be published', () => {
  it('stand for what an earlier step has made', () => {
    expect(fillText('hcs://1/{file_01J}', { file_01J: '0.0.5' })).toBe('hcs://1/0.0.5')
    expect(fillText('{a} {b} {a}', { a: '0.0.1', b: '0.0.2' })).toBe('0.0.1 0.0.2 0.0.1')
  })

  it('are left as they are where no step has made them', () => {
    for (const text of ['{"a":{"b":1}}', '{file}', '{toString}', '{}', '{ a }', '{__proto__}']) {
      expect(fillText(text, { other: '0.0.1' })).toBe(text)
    }
  })

  it('are not looked for in what has been filled in', () => {
    expect(fillText('{a}', { a: '{b}', b: '0.0.2' })).toBe('{b}')
  })
})
