import { describe, expect, it } from 'vitest'
import { createPart } from './part.ts'

describe('a part', () => {
  it('is opened once, and closed if it was opened', async () => {
    let [opened, closed] = [0, 0]
    const part = createPart(
      async () => ({ number: ++opened }),
      () => void closed++,
    )
    expect(await part.open()).toBe(await part.open())
    await part.close()
    expect([opened, closed]).toEqual([1, 1])
  })

  it('is not opened to be closed', async () => {
    await createPart(() => expect.unreachable(), expect.unreachable).close()
  })

  it('can be closed if it could not be opened', async () => {
    const part = createPart(() => Promise.reject(new Error('broken')), expect.unreachable)
    await expect(part.open()).rejects.toThrow('broken')
    await part.close()
  })
})
