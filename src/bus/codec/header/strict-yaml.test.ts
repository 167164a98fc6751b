import { describe, expect, it } from 'vitest'
import { FIELD } from './raw-header.ts'
import { createPatience, readStrictHeader } from './strict-yaml.ts'

function read(content: string | Buffer, patience = createPatience()) {
  return readStrictHeader(Buffer.from(content), patience)
}

describe('any YAML is read', () => {
  it.each([
    ['a comment', 'own: b # c\n# d\n', 'b'],
    ['a block of text', 'own: |\n  b\n  c\n', 'b\nc\n'],
    ['folded text', 'own: >-\n  b\n  c\n', 'b c'],
    ['a text over two lines', "own: 'b\n  c'\n", 'b c'],
    ['an escape', 'own: "\\x41"\n', 'A'],
    ['a flow', 'own: [1, "1", {a: true}, ~, 012, 0x10, .inf]\n', [1, '1', { a: true }, null, 12, 16, '.inf']],
    ['a key that is no text elsewhere', 'own: {1: a, true: b}\n', { '1': 'a', true: 'b' }],
    [
      'what every object has',
      'own: {__proto__: 1, constructor: 2}\n',
      JSON.parse('{"__proto__": 1, "constructor": 2}'),
    ],
    ['a number that would lose digits', 'own: 12345678901234567890\n', '12345678901234567890'],
    ['nothing', 'own:\n', null],
  ])('such as %s', (_, text, value) => {
    expect(read(text)).toMatchObject({ extra: { own: value } })
  })

  it('whose ids are texts', () => {
    const header = read('{msg_id: 012, task_id: true, run_id: null, parents: [7, {msg_id: 0x1}], meta: {a: 012}}')
    expect(header).toHaveProperty('values')
    if ('refused' in header) return
    const fields = ['msg_id', 'task_id', 'run_id', 'parents', 'meta'] as const
    expect(fields.map((name) => header.values[FIELD[name]])).toEqual([
      '012',
      'true',
      null,
      ['7', { msg_id: '0x1' }],
      { a: 12 },
    ])
  })
})

describe('YAML is refused', () => {
  it.each([
    ['an alias', 'a: *b\n', 'its header has an alias'],
    ['an anchor', 'a: &b c\n', 'its header has an anchor'],
    ['an anchor of nothing', 'a: &b\n', 'its header has an anchor'],
    ['a tag', 'a: !!str c\n', 'its header has a tag'],
    ['a tag of its own', 'a: !b c\n', 'its header has a tag'],
    ['a tag of it all', '!!map\na: b\n', 'its header has a tag'],
    ['a merged key', '<<: {a: b}\n', 'its header merges keys'],
    ['a key twice', 'a: b\na: c\n', 'its header has a key twice'],
    ['a key twice within', 'meta: {a: b, "a": c}\n', 'its header has a key twice'],
    ['a known key twice', 'msg_id: b\n"msg_id": c\n', 'its header has a key twice'],
    ['a key that is a list', '? [a]\n: b\n', 'its header has a key that is no text'],
    ['a list', '- a\n', 'its header is no YAML map'],
    ['a text', 'a\n', 'its header is no YAML map'],
    ['nothing', '', 'its header is no YAML map'],
    ['what is open', 'a: [\n', 'its header is not valid YAML'],
    ['a second document', 'a: b\n...\nc: d\n', 'its header is not valid YAML'],
    ['what is nested deep', `a: ${'['.repeat(50)}${']'.repeat(50)}\n`, 'its header is nested too deep'],
    ['what is no text', Buffer.from('a: \xff\n', 'latin1'), 'its header is not UTF-8'],
    ['many parts', `a: [${'b,'.repeat(3_000)}]\n`, 'its header has too many parts'],
  ])('that has or is %s', (_, content, refused) => {
    expect(read(content)).toEqual({ refused })
  })

  it('unread after too much of it that is not valid', () => {
    const patience = createPatience()
    const valid = 'a: [b]\n'
    for (let i = 0; i < 100; i++) expect(read(valid, patience)).toHaveProperty('values')
    for (let i = 0; i < 1_000; i++) expect(read('a: [\n', patience)).toHaveProperty('refused')
    expect(read(valid, patience)).toEqual({ refused: 'its header is no usual YAML, like too many around it' })
    expect(read(valid)).toHaveProperty('values')
  })
})
