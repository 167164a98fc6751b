import { expect, it } from 'vitest'
import { connectPostern } from '../../src/client/connect.ts'
import { verifies } from '../scenarios/requirements.ts'
import { describePage, openPage, startPageServer, useBrowser } from './harness.ts'

useBrowser()

const COUNT = 10_000
/** What is seen as a stutter. Machines that run tests do other things too: of ten frames one may be that late. */
const SMOOTH_MS = 50
const STUTTER_MS = 150

/** Scrolls by a screen each frame and tells how long each frame took. */
const SCROLL = `new Promise((resolve) => {
  const list = document.querySelector('.inbox-list')
  const frames = []
  let last = performance.now()
  const step = (now) => {
    frames.push(now - last)
    last = now
    list.scrollTop += 700
    if (frames.length < 120) requestAnimationFrame(step)
    else resolve({ frames, rows: document.querySelectorAll('.inbox-row').length })
  }
  requestAnimationFrame(step)
})`

describePage('an inbox of 10,000 messages', () => {
  it('is there whole, scrolls without stutter, and is gone through by keys', { timeout: 120_000 }, async () => {
    verifies('page.long-lists')
    const server = await startPageServer()
    const admin = await connectPostern(server)
    await admin.agents.add({ id: 'rosa', kind: 'human' })
    for (let sent = 0; sent < COUNT; sent += 1_000) {
      const messages = Array.from({ length: 1_000 }, (_, at) => ({
        to: ['rosa'],
        subject: `Message ${sent + at + 1}`,
        content: 'Some words that say what it is about, as long as such words usually are.',
      }))
      await admin.inbox.pushMany({ messages })
    }
    const { page } = await openPage(server)
    await expect
      .poll(() => page.locator('.inbox-head').first().textContent(), { timeout: 30_000 })
      .toContain(String(COUNT))
    const { frames, rows } = (await page.evaluate(SCROLL)) as { readonly frames: number[]; readonly rows: number }
    expect(rows).toBeLessThan(60)
    const sorted = frames.toSorted((one, other) => one - other)
    expect(sorted[Math.floor(frames.length * 0.5)]).toBeLessThan(SMOOTH_MS)
    expect(sorted[Math.floor(frames.length * 0.9)]).toBeLessThan(STUTTER_MS)
    await page.evaluate('document.querySelector(".inbox-list").scrollTop = 1e9')
    await page.getByRole('option', { name: /Message 1 Some words/ }).waitFor()
    for (let steps = 0; steps < 30; steps++) await page.keyboard.press('j')
    await page.getByRole('heading', { name: `Message ${COUNT - 29}`, exact: true }).waitFor()
    await admin.close()
  })
})
