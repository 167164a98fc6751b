import { describe, expect, it } from 'vitest'
import { createWindow } from './virtual-window.ts'

const keys = (count: number) => Array.from({ length: count }, (_, at) => `row${at}`)
const windowOf = (count: number, measured = new Map<string, number>()) =>
  createWindow({ keys: keys(count), estimate: () => 50, measured })

describe('the window of a long list', () => {
  it('draws only what can be seen', () => {
    const window = windowOf(10_000)
    expect(window.totalHeight).toBe(500_000)
    expect(window.range(0, 499)).toEqual({ from: 0, to: 10 })
    expect(window.range(250_000, 250_600)).toEqual({ from: 5_000, to: 5_013 })
    expect(window.range(499_990, 600_000)).toEqual({ from: 9_999, to: 10_000 })
  })

  it('moves what lies below a row that was measured', () => {
    const window = windowOf(100)
    expect(window.measure('row2', 80)).toBe(30)
    expect(window.measure('row2', 80)).toBe(0)
    expect([window.offsetOf(2), window.offsetOf(3), window.totalHeight]).toEqual([100, 180, 5_030])
    expect(window.range(179, 180)).toEqual({ from: 2, to: 4 })
  })

  it('remembers heights when the list changes, and knows no row of another', () => {
    const measured = new Map<string, number>()
    windowOf(3, measured).measure('row1', 10)
    expect(windowOf(5, measured).totalHeight).toBe(210)
    expect(windowOf(5).measure('nobody', 10)).toBe(0)
  })

  it('is empty where there is nothing', () => {
    const window = windowOf(0)
    expect([window.totalHeight, window.range(0, 100)]).toEqual([0, { from: 0, to: 0 }])
  })
})
