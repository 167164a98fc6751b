import { describe, expect, it } from 'vitest'
import { configWith } from '../../../test/helpers/config-with.ts'
import { HANDOFF } from './handoff.ts'

const DAY_MS = 24 * 3_600_000

function read(handoff: Readonly<Record<string, unknown>>) {
  return configWith({ handoff }).get(HANDOFF)
}

describe('the settings of the handoff', () => {
  it('are optional', () => {
    expect(read({})).toEqual({
      shared: false,
      sharedInbox: null,
      tracked: false,
      maxTokens: 500,
      keepProcessedMs: null,
    })
  })

  it('are parsed from a file', () => {
    const written = {
      shared: true,
      sharedInbox: '/srv/shared',
      tracked: true,
      maxTokens: 900,
      keepProcessed: '30d',
      harvest: 'soft',
    }
    expect(read(written)).toEqual({
      shared: true,
      sharedInbox: '/srv/shared',
      tracked: true,
      maxTokens: 900,
      keepProcessedMs: 30 * DAY_MS,
    })
    expect(read({ sharedInbox: null, keepProcessed: null })).toMatchObject({ sharedInbox: null, keepProcessedMs: null })
  })

  it('resolve a relative folder from the file that names it', () => {
    expect(read({ sharedInbox: '../shared' }).sharedInbox).toBe('/home/anna/shared')
  })

  it.each([
    ['an unknown one', { inbox: 'x' }, /"handoff.inbox" is not a setting/],
    ['a choice that is none', { shared: 'yes' }, /"handoff.shared"/],
    ['no decision about tracked files', { tracked: 'yes' }, /"handoff.tracked"/],
    ['no folder', { sharedInbox: '' }, /"handoff.sharedInbox"/],
    ['a folder that is none', { sharedInbox: true }, /"handoff.sharedInbox"/],
    ['no number', { maxTokens: '500' }, /"handoff.maxTokens"/],
    ['too small a number', { maxTokens: 0 }, /"handoff.maxTokens"/],
    ['too large a number', { maxTokens: 1_000_001 }, /"handoff.maxTokens" is not a whole number from 1 to 1000000/],
    ['no duration', { keepProcessed: 'long' }, /"handoff.keepProcessed"/],
    ['a bare number', { keepProcessed: 30 }, /"handoff.keepProcessed"/],
  ])('are refused as %s', (_, handoff, message) => {
    expect(() => read(handoff)).toThrow(message)
  })
})
