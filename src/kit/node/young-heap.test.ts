import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { FULL } from '../../../test/helpers/tier.ts'

const MODULE = new URL('./young-heap.ts', import.meta.url).href

/** Bytes for what is new, after so much was made and let go that V8 gives it as much room as it may. */
function roomForTheNew(before: string): number {
  const script = `
    import { boundYoungHeap, youngHeapBytes } from '${MODULE}'
    ${before}
    const kept = []
    for (let i = 0; i < 3_000_000; i++) kept[i % 200_000] = { i, text: [i] }
    console.log(youngHeapBytes())`
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }))
}

it('keeps V8 from giving what is new more room once it has enough', () => {
  expect(roomForTheNew('boundYoungHeap(0)')).toBeLessThan(roomForTheNew('') / 4)
})

// How much more it then gets is V8's to say, and not the same each time.
it('lets it have enough before', FULL, () => {
  expect(roomForTheNew('boundYoungHeap(1024 ** 3)')).toBeGreaterThan(4 * roomForTheNew('boundYoungHeap(0)'))
})
