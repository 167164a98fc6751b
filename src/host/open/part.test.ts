import { describe, expect, it } from 'vitest'
import { createPart } from './part.ts'

describe('a part', () => {
  it('opens a part once, and closes it', async () => {
    let [opened, closed] = [0, 0]
    const part = createPart(
      async () => ({ number: ++opened }),
      () => void closed++,
    )
    expect(await part.open()).toBe(await part.open())
    await part.close()
    expect([opened, closed]).toEqual([1, 1])
  })

  it('does not open a part in order to close it', async () => {
    await createPart(() => expect.unreachable(), expect.unreachable).close()
  })

  it('closes without an error after opening has failed', async () => {
    const part = createPart(() => Promise.reject(new Error('broken')), expect.unreachable)
    await expect(part.open()).rejects.toThrow('broken')
    await part.close()
  })
})
