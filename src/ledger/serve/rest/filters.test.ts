import { describe, expect, test } from 'vitest'
import { nextLink, parseFilters } from './filters.ts'

const parse = (query: string) => parseFilters(new URLSearchParams(query))

describe('the filters of a mirror', () => {
  test('are 25 messages from the first on where nothing is said', () => {
    expect(parse('')).toEqual({ limit: 25, isBackwards: false, isText: false, sequences: [], times: [] })
  })

  test('give no more than a hundred messages, however many are wanted', () => {
    expect(parse('limit=100').limit).toBe(100)
    expect(parse('limit=5000').limit).toBe(100)
  })

  test('compare places and times', () => {
    expect(parse('sequencenumber=gte:7&timestamp=lt:12.5&order=DESC&encoding=utf8')).toEqual({
      limit: 25,
      isBackwards: true,
      isText: true,
      sequences: [{ operator: 'gte', value: 7n }],
      times: [{ operator: 'lt', value: 12_500_000_000n }],
    })
  })

  test.each([
    ['limit=0', 'limit'],
    ['limit=gt:3', 'limit'],
    ['limit=', 'limit'],
    ['order=up', 'order'],
    ['encoding=latin1', 'encoding'],
    ['sequencenumber=ne:3', 'sequencenumber'],
    ['sequencenumber=-1', 'sequencenumber'],
    ['sequencenumber=gt:gt:1', 'sequencenumber'],
    ['timestamp=1.0000000001', 'timestamp'],
    ['timestamp=now', 'timestamp'],
  ])('refuse %s', (query, name) => {
    expect(() => parse(query)).toThrow(`Invalid parameter: ${name}`)
  })

  test('refuse what they do not know', () => {
    expect(() => parse('topic=1')).toThrow('Unknown query parameter: topic')
  })
})

describe('the link to the next page', () => {
  const link = (query: string, isBackwards = false) =>
    nextLink('/here', new URLSearchParams(query), isBackwards, '5.000000001')

  test('asks the same behind the last message', () => {
    expect(link('limit=2&sequencenumber=gt:3')).toBe('/here?limit=2&sequencenumber=gt:3&timestamp=gt:5.000000001')
  })

  test('takes the place of an earlier beginning and keeps the end', () => {
    expect(link('timestamp=gte:1&timestamp=lt:9')).toBe('/here?timestamp=lt:9&timestamp=gt:5.000000001')
  })

  test('goes backwards where the page does', () => {
    expect(link('order=desc&timestamp=lt:9', true)).toBe('/here?order=desc&timestamp=lt:5.000000001')
  })
})
