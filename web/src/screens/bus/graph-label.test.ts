import { describe, expect, it } from 'vitest'
import { shorten } from './graph-label.ts'

const measure = (text: string) => [...text].length * 10

describe('a label of the graph', () => {
  it('stays as it is where it fits', () => {
    expect(shorten('Templates', 90, measure)).toBe('Templates')
  })

  it('is shortened to as much as fits, and says so', () => {
    expect(shorten('Templates of all mails', 100, measure)).toBe('Templates…')
    expect(shorten('Templates', 80, measure)).toBe('Templat…')
    expect(shorten('Templates', 0, measure)).toBe('…')
  })

  it('cuts no character in two', () => {
    expect(shorten('🚀🚀🚀🚀', 30, measure)).toBe('🚀🚀…')
  })
})
