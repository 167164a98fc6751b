import { describe, expect, it } from 'vitest'
import { GENESIS_HASH } from '../../model/ledger/topic.ts'
import { createLedgerCodec } from './create-codec.ts'

describe('the codec', () => {
  const codec = createLedgerCodec()

  it('hashes text as UTF-8', () => {
    expect(codec.sha256('é')).toBe('4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c')
  })

  it('chains entries as the real network does', () => {
    const entry = {
      topicId: '0.0.5671138',
      sequence: 1,
      consensusAt: '1713898880.739044003',
      payer: '0.0.4368166',
      message: 'eyJ0X2lkIjoiMC4wLjU2NzExNTUiLCJvcCI6InJlZ2lzdGVyIiwibSI6IlZlcnNpb24gMS4iLCJwIjoiaGNzLTYifQ==',
    }
    const hash = Buffer.from('H9o6QzEEJDOxcdfIkT9Rw0zf+1VxLfyeod18r4faaObHbBy/qkxLgFVjWRB5JzAn', 'base64')
    expect(codec.runningHash(GENESIS_HASH, entry)).toBe(hash.toString('hex'))
  })

  it('keeps a file and names an agent', () => {
    const file = { mime: 'text/plain', content: 'hello' }
    expect(codec.decodeFile(codec.encodeFile(file))).toEqual(file)
    const params = { network: 'local', name: 'Quinn', version: '1.0', account: '0.0.5', inboundTopicId: '0.0.6' }
    expect(codec.uaid({ ...params, capabilities: [4] })).toContain('nativeId=hedera:local:0.0.5')
  })
})
