import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseArgs } from '../../shell/parse.ts'
import { busPost } from './post.ts'
import { parseAttach, parseLink, parseParent, readHeader } from './post-input.ts'

const headerOf = (...words: readonly string[]) => readHeader(busPost, parseArgs(busPost, words))

describe('a parent', () => {
  it.each([
    ['ISSUE-1:depends_on', { msg_id: 'ISSUE-1', kind: 'depends_on' }],
    ['MSG-20260205-120000-000000001-PID01234-0001', 'MSG-20260205-120000-000000001-PID01234-0001'],
    ['urn:foreign:7:answers', { msg_id: 'urn:foreign:7', kind: 'answers' }],
    ['urn:foreign:7', 'urn:foreign:7'],
    [':blocks', ':blocks'],
  ])('%s', (text, parent) => {
    expect(parseParent(text)).toEqual(parent)
  })
})

describe('a link', () => {
  it.each([
    ['output=/var/output.md', { kind: 'output', path: '/var/output.md' }],
    ['run-info=runs/x', { kind: 'run-info', path: resolve('runs/x') }],
    ['https://example.com/?a=b', { url: 'https://example.com/?a=b' }],
    ['report=https://example.com/?a=b', { kind: 'report', url: 'https://example.com/?a=b' }],
  ])('%s', (text, link) => {
    expect(parseLink(text)).toEqual(link)
  })
})

describe('a file to attach', () => {
  it.each([
    ['out.txt', { file: 'out.txt' }],
    ['out.txt,kind=log', { file: 'out.txt', kind: 'log' }],
    ['a,b=c.txt,label=agent stdout,mime=text/plain', { file: 'a,b=c.txt', label: 'agent stdout', mime: 'text/plain' }],
  ])('%s', (text, attach) => {
    expect(parseAttach(text)).toEqual(attach)
  })
})

describe('the options of a post', () => {
  it('become the header of an entry', () => {
    const words = ['--type', 'QUESTION', '--issue', 'ISSUE-1', '--to', 'quinn,ada', '--to', 'mindy', '--ask', 'justin']
    expect(headerOf(...words, '--option', 'a=Yes', '--option', 'b=No = never', '--select', 'a')).toEqual({
      type: 'QUESTION',
      issue_id: 'ISSUE-1',
      to: ['quinn', 'ada', 'mindy'],
      ask: ['justin'],
      options: [
        { key: 'a', label: 'Yes' },
        { key: 'b', label: 'No = never' },
      ],
      select: 'a',
    })
    expect(headerOf('--option', 'a=Yes')).toEqual({ ask: [], options: [{ key: 'a', label: 'Yes' }] })
    expect(headerOf()).toEqual({})
  })

  it('take JSON as meta where it is some, and text else', () => {
    const meta = ['status=done', 'n=5', 'yes=true', 'list=[1,"x"]', 'version="1.10"', 'odd={', 'empty=', 'eq=a=b']
    expect(headerOf(...meta.flatMap((each) => ['--meta', each]))).toEqual({
      meta: { status: 'done', n: 5, yes: true, list: [1, 'x'], version: '1.10', odd: '{', empty: '', eq: 'a=b' },
    })
    expect(Object.keys(headerOf('--meta', '__proto__={"x":1}').meta ?? {})).toEqual(['__proto__'])
  })

  it.each(['--meta', '--option'])('%s needs a key and a value', (option) => {
    expect(() => headerOf(option, 'nothing')).toThrow(`${option} takes <key>=<value>`)
    expect(() => headerOf(option, '=nothing')).toThrow(`${option} takes <key>=<value>`)
  })
})
