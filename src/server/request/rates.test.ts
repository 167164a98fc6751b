import { describe, expect, it } from 'vitest'
import { createClock } from '../../../test/helpers/server/clock.ts'
import { createRates } from './rates.ts'

describe('wrong credentials', () => {
  it('are told to be wrong ten times a minute from one address, and then not even that', () => {
    const { now, advance } = createClock()
    const rates = createRates(now)
    for (let guess = 0; guess < 10; guess++) expect(rates.wrong('a')).toBeUndefined()
    expect(rates.wrong('a')).toMatchObject({ isFirst: true, error: { code: 'RATE_LIMITED', details: { seconds: 60 } } })
    advance(20_000)
    expect(rates.wrong('a')).toMatchObject({ isFirst: false, error: { details: { seconds: 40 } } })
    expect(rates.wrong('b')).toBeUndefined()
    advance(40_000)
    expect(rates.wrong('a')).toBeUndefined()
  })

  it('lock out their address for the rest of the minute, and no other', () => {
    const { now, advance } = createClock()
    const rates = createRates(now)
    for (let guess = 0; guess < 10; guess++) rates.wrong('a')
    rates.requireUnlocked('a')
    rates.wrong('a')
    expect(() => rates.requireUnlocked('a')).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }))
    rates.requireUnlocked('b')
    advance(60_000)
    rates.requireUnlocked('a')
  })

  it('of however many addresses take a bounded room', () => {
    const rates = createRates(() => 0)
    for (let guess = 0; guess < 11; guess++) rates.wrong('first')
    for (let address = 0; address < 10_000; address++) rates.wrong(String(address))
    expect(rates.wrong('first')).toBeUndefined()
  })
})

describe('a token', () => {
  it('is good for so many requests at once, and so many a second', () => {
    const { now, advance } = createClock()
    const rates = createRates(now)
    for (let request = 0; request < 4_000; request++) rates.use('a')
    expect(() => rates.use('a')).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }))
    rates.use('b')
    advance(1)
    rates.use('a')
    rates.use('a')
    expect(() => rates.use('a')).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }))
  })
})
