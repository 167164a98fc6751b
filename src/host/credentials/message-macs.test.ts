import { createHash } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { createMessageMacs } from './message-macs.ts'
import { keyPath, makeKey } from './secret-key.ts'

const FIELDS = ['msg_1', null, '', 'words', 12, -1, 0.5]

describe('the MAC of a message', () => {
  it('is eight digits that name the key, and half of the SHA-256 of the key and the fields', () => {
    const home = temporaryFolder()
    const key = makeKey(keyPath(home)).toString('base64')
    const derived = createHash('sha256').update(`postern message v1\n${key}`).digest('hex')
    const text = `${derived.slice(8)}5:msg_1~0:5:words12;-1;0.5;`
    const mac = createHash('sha256').update(text).digest('hex').slice(0, 32)
    expect(createMessageMacs(home).make(FIELDS, 7)).toBe(derived.slice(0, 8) + mac)
  })

  it('is right for the same fields only', () => {
    const macs = createMessageMacs(temporaryFolder())
    const mac = macs.make([...FIELDS, 'not covered'], 7)
    expect(macs.check([...FIELDS, 'other'], 7, mac)).toBe('right')
    const others = [
      ...FIELDS.map((_, at) => FIELDS.with(at, 'x')),
      FIELDS.with(1, '').with(2, null),
      FIELDS.with(2, 'words').with(3, ''),
      FIELDS.with(4, 1).with(5, 2),
      FIELDS.with(4, '12;'),
    ]
    for (const other of others) expect([other, macs.check(other, 7, mac)]).toEqual([other, 'wrong'])
    for (const none of [null, '', 'x', `0${mac}`]) expect(macs.check(FIELDS, 7, none)).toBe('unknown')
  })

  it('is made again once an unusable key is repaired; the fault is logged once', () => {
    const home = temporaryFolder()
    const notes: unknown[] = []
    const macs = createMessageMacs(home, (event) => notes.push(event))
    writeFileSync(keyPath(home), 'no key')
    expect([macs.make(FIELDS, 7), macs.make(FIELDS, 7), macs.check(FIELDS, 7, 'x')]).toEqual([null, null, 'unknown'])
    expect(notes).toEqual(['store.key-unusable'])
    writeFileSync(keyPath(home), Buffer.alloc(32, 1).toString('base64'))
    expect(macs.make(FIELDS, 7)).toMatch(/^[0-9a-f]{40}$/)
  })

  it('does not create a key for a reader', () => {
    const home = temporaryFolder()
    expect(createMessageMacs(home).check(FIELDS, 7, 'x'.repeat(40))).toBe('unknown')
    expect(existsSync(keyPath(home))).toBe(false)
  })
})
