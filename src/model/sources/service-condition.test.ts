import { describe, expect, it } from 'vitest'
import { formatServiceCondition, isMet, parseServiceCondition } from './service-condition.ts'

describe('what a gate waits for of a service', () => {
  it('is written as it is read', () => {
    for (const text of ['ci', 'ci?status=success', 'ci?status=success&build.branch=a%2Fb%20c%26d%3De', 'ci?status=']) {
      expect(formatServiceCondition(parseServiceCondition(text))).toBe(text)
    }
    expect(parseServiceCondition('ci?build.branch=a%2Fb&n=x=y')).toEqual({
      service: 'ci',
      where: [
        ['build.branch', 'a/b'],
        ['n', 'x=y'],
      ],
    })
  })

  it('is refused where it says nothing that could be met', () => {
    for (const text of ['ci?', 'ci?status', 'ci?=x', 'ci?a=b&', 'ci?a=%ff'])
      expect(() => parseServiceCondition(text)).toThrow(expect.objectContaining({ code: 'VALUE_INVALID' }))
    for (const text of ['', '?a=b', 'CI', 'a b', 'ci&a=b'])
      expect(() => parseServiceCondition(text)).toThrow(expect.objectContaining({ code: 'SERVICE_NAME_INVALID' }))
  })

  const payload = { status: 'success', build: { n: 3, ok: true, by: null }, jobs: [{ name: 'test' }], 'a.b': 1 }

  it.each([
    'ci',
    'ci?status=success',
    'ci?build.n=3&build.ok=true&build.by=null',
    'ci?jobs.0.name=test',
  ])('is met by such a payload: %s', (text) => expect(isMet(parseServiceCondition(text), payload)).toBe(true))

  it.each([
    'ci?status=failed',
    'ci?status=success&build.n=4',
    'ci?missing=undefined',
    'ci?build=[object Object]',
    'ci?jobs.length=1',
    'ci?jobs.1.name=test',
    'ci?constructor.name=Object',
    'ci?status.length=7',
    'ci?a.b=1',
  ])('is not met by such a payload: %s', (text) => expect(isMet(parseServiceCondition(text), payload)).toBe(false))

  it('is not met by a payload without members', () => {
    for (const plain of [null, 'success', 3, [], 'status=success']) {
      expect(isMet(parseServiceCondition('ci?status=success'), plain)).toBe(false)
      expect(isMet(parseServiceCondition('ci'), plain)).toBe(true)
    }
  })
})
