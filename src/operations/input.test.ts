import { describe, expect, it } from 'vitest'
import type { OperationName } from '../model/operations.ts'
import { parseInput, readQuery } from './input.ts'
import { declaredOperation } from './table.ts'

const push = declaredOperation('inbox.push')
const refusal = (reason: string) => expect.objectContaining({ code: 'INPUT_INVALID', details: { reason } })

describe('an input', () => {
  it('is handed on as it is where it has the declared form', () => {
    const input = { to: ['quinn'], content: 'hello', payload: { any: [1, { thing: null }] } }
    expect(parseInput(push, input)).toBe(input)
  })

  it.each([
    [{}, 'the field "content" is missing'],
    [{ content: 7 }, 'the field "content" is not text'],
    [{ content: null }, 'the field "content" is not text'],
    [{ content: 'x', to: 'quinn' }, 'the field "to" is not a list'],
    [{ content: 'x', to: [7] }, 'the field "to[0]" is not text'],
    [{ content: 'x', priority: '1' }, 'the field "priority" is not a number'],
    [{ content: 'x', from: 'justin' }, 'there is no field "from"'],
    [{ content: 'x', attachments: [{ nam: 'a' }] }, 'there is no field "attachments[0].nam"'],
    [JSON.parse('{"content":"x","__proto__":{}}'), 'there is no field "__proto__"'],
    [{ content: 'x', constructor: 1 }, 'there is no field "constructor"'],
  ])('%j is refused, and the field is named', (input, reason) => {
    expect(() => parseInput(push, input)).toThrow(refusal(reason))
  })

  it('with one of a few words names them all', () => {
    expect(() => parseInput(declaredOperation('inbox.list'), { which: 'some' })).toThrow(
      expect.objectContaining({
        code: 'VALUE_INVALID',
        next: 'Use one of pending, delivered, done, open, snoozed, all.',
      }),
    )
  })

  it('whose form is right is for the heart to judge', () => {
    for (const input of [{ priority: 9 }, { priority: 1.5 }, { replyTo: '' }, { replyTo: 'x'.repeat(100) }]) {
      expect(parseInput(push, { content: 'x', ...input })).toMatchObject(input)
    }
    expect(parseInput(declaredOperation('agents.show'), { id: '../x' })).toEqual({ id: '../x' })
  })
})

describe('a query', () => {
  it('is read by what the operation declares', () => {
    const read = (name: OperationName, query: string) => readQuery(declaredOperation(name), new URLSearchParams(query))
    expect(read('inbox.list', 'agent=quinn&limit=5&which=all')).toEqual({ agent: 'quinn', limit: 5, which: 'all' })
    expect(read('gates.list', 'all=true')).toEqual({ all: true })
    expect(read('gates.list', 'all=false')).toEqual({ all: false })
    expect(read('inbox.search', 'query=12')).toEqual({ query: '12' })
  })

  it('stays text where it does not read as its type, and a list where it is given twice', () => {
    const read = (query: string) => readQuery(declaredOperation('gates.list'), new URLSearchParams(query))
    expect(read('limit=many')).toEqual({ limit: 'many' })
    expect(read('limit=')).toEqual({ limit: '' })
    expect(read('all=yes')).toEqual({ all: 'yes' })
    expect(read('limit=1&limit=2')).toEqual({ limit: ['1', '2'] })
  })
})
