import { describe, expect, it } from 'vitest'
import {
  DEFINITIONS_MEMO,
  formatConnectionMemo,
  formatFileLink,
  formatFileMemo,
  formatInboundMemo,
  formatOutboundMemo,
  formatProfileMemo,
  formatWorkMemo,
  parseFileLink,
  parseProfileMemo,
  parseTopicMemo,
  requireMemo,
  transactionMemo,
} from './memos.ts'

const SHA = 'ab'.repeat(32)

describe('the memo of a topic', () => {
  it.each([
    [formatInboundMemo('0.0.1001'), 'hcs-10:0:3600:0:0.0.1001', { type: 'inbound', ttl: 3600, account: '0.0.1001' }],
    [formatOutboundMemo(), 'hcs-10:0:3600:1', { type: 'outbound', ttl: 3600 }],
    [
      formatConnectionMemo('0.0.1002', 12),
      'hcs-10:1:3600:2:0.0.1002:12',
      { type: 'connection', ttl: 3600, inboundTopicId: '0.0.1002', connectionId: 12 },
    ],
    [formatFileMemo(SHA, 'brotli'), `${SHA}:brotli:base64`, { type: 'file', sha256: SHA, algorithm: 'brotli' }],
    [formatWorkMemo('task:PROJ-12'), 'postern:work:task:PROJ-12', { type: 'work', entity: 'task:PROJ-12' }],
    [DEFINITIONS_MEMO, 'postern:definitions', { type: 'definitions' }],
  ])('is written and read as it must be: %s', (written, text, meaning) => {
    expect(written).toBe(text)
    expect(parseTopicMemo(text)).toEqual(meaning)
    expect(requireMemo(text)).toBe(text)
  })

  it.each([
    ['hcs-10:0:60:3', { type: 'registry', ttl: 60, metadataTopicId: null }],
    ['hcs-10:0:60:3:0.0.7', { type: 'registry', ttl: 60, metadataTopicId: '0.0.7' }],
    [`${SHA}:zstd:base64`, { type: 'file', sha256: SHA, algorithm: 'zstd' }],
    ['hcs-2:1:86400', { type: 'list', isIndexed: true, ttl: 86400 }],
    ['hcs-2:0:0', { type: 'list', isIndexed: false, ttl: 0 }],
  ])('of others is read too: %s', (text, meaning) => {
    expect(parseTopicMemo(text)).toEqual(meaning)
  })

  it.each([
    '',
    'hello',
    'hcs-10:inbound:0.0.5',
    'hcs-10:0:3600:0',
    'hcs-10:0:3600:0:quinn',
    'hcs-10:0:3600:0:0.0.5:extra',
    'hcs-10:0:3600:1:0.0.5',
    'hcs-10:2:3600:1',
    'hcs-10:0:-1:1',
    'hcs-10:0::1',
    'hcs-10:1:3600:2:0.0.5:0',
    'hcs-10:1:3600:2:0.0.5',
    'hcs-10:0:3600:4',
    'hcs-10:0:3600:3:0.0.5:1:2:3:4:5',
    'hcs-2:1:5:6',
    'hcs-2:2:5',
    `${SHA.toUpperCase()}:brotli:base64`,
    `${SHA}:gzip:base64`,
    'postern:work:',
    'postern:work:task:',
    'postern:work:poem:X',
    'postern:definitions:x',
    'hcs-10:0:3600:1\n',
  ])('is unknown where it is of no known form: %j', (memo) => {
    expect(parseTopicMemo(memo)).toBeUndefined()
  })

  it('has at most 100 bytes, and is text', () => {
    expect(requireMemo('é'.repeat(50))).toBe('é'.repeat(50))
    expect(() => requireMemo('é'.repeat(51))).toThrow(expect.objectContaining({ code: 'LEDGER_MEMO_INVALID' }))
    expect(() => requireMemo('a\0b')).toThrow(expect.objectContaining({ code: 'LEDGER_MEMO_INVALID' }))
    expect(() => requireMemo('\ud800')).toThrow(expect.objectContaining({ code: 'LEDGER_MEMO_INVALID' }))
  })

  it('has room for the longest name of a work item', () => {
    expect(() => requireMemo(formatWorkMemo(`project:${'x'.repeat(64)}`))).not.toThrow()
  })
})

describe('the memo of a transaction', () => {
  it.each([
    ['register', 'registry', 'hcs-10:op:0:0'],
    ['delete', 'registry', 'hcs-10:op:1:0'],
    ['migrate', 'registry', 'hcs-10:op:2:0'],
    ['connection_request', 'inbound', 'hcs-10:op:3:1'],
    ['connection_request', 'outbound', 'hcs-10:op:3:2'],
    ['connection_created', 'inbound', 'hcs-10:op:4:1'],
    ['connection_created', 'outbound', 'hcs-10:op:4:2'],
    ['connection_closed', 'outbound', 'hcs-10:op:5:2'],
    ['close_connection', 'connection', 'hcs-10:op:5:3'],
    ['message', 'connection', 'hcs-10:op:6:3'],
    ['message', 'inbound', 'hcs-10:op:6:1'],
    ['transaction', 'connection', 'hcs-10:op:6:3'],
  ] as const)('counts %s on %s as the standard does', (op, topicType, memo) => {
    expect(transactionMemo(op, topicType)).toBe(memo)
  })
})

describe('the link of a file', () => {
  it('is what data and the memo of an account name it by', () => {
    expect(formatFileLink('0.0.77')).toBe('hcs://1/0.0.77')
    expect(parseFileLink('hcs://1/0.0.77')).toBe('0.0.77')
    expect(formatProfileMemo('0.0.77')).toBe('hcs-11:hcs://1/0.0.77')
    expect(parseProfileMemo('hcs-11:hcs://1/0.0.77')).toBe('0.0.77')
  })

  it.each([
    '',
    '0.0.77',
    'hcs://1/',
    'hcs://2/0.0.77',
    'hcs://1/0.0.77/x',
    'see hcs://1/0.0.77',
  ])('is nothing else: %j', (text) => {
    expect(parseFileLink(text)).toBeUndefined()
    expect(parseProfileMemo(`hcs-11:${text}`)).toBeUndefined()
    expect(parseProfileMemo(text)).toBeUndefined()
  })
})
