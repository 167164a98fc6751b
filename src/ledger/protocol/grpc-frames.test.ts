import { describe, expect, it } from 'vitest'
import { ProtocolError } from './bytes.ts'
import { createFrameReader, frame, MESSAGE_BYTES } from './grpc-frames.ts'

describe('frames', () => {
  it('are found however they are cut', () => {
    const sent = Buffer.concat([frame(Buffer.from('one')), frame(new Uint8Array()), frame(Buffer.from('three'))])
    for (let size = 1; size <= sent.length; size++) {
      const reader = createFrameReader()
      const found: string[] = []
      for (let at = 0; at < sent.length; at += size) {
        for (const message of reader.push(sent.subarray(at, at + size))) found.push(Buffer.from(message).toString())
      }
      expect(found).toEqual(['one', '', 'three'])
      expect(reader.isClean).toBe(true)
    }
  })

  it('are bounded before they are held', () => {
    const head = Buffer.alloc(5)
    head.writeUInt32BE(MESSAGE_BYTES + 1, 1)
    expect(() => createFrameReader().push(head)).toThrow(ProtocolError)
  })
})
