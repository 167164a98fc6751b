import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { verifies } from '../scenarios/verifies.ts'
import { describePage, openPage, openScene } from './harness.ts'

/** Screens whose keys Enter belongs to, or that have most that can be pressed. */
const SCREENS = ['inbox', 'decisions', 'spaces', 'bus'] as const

/** More than any screen has to stop at. */
const MOST = 150

/** Notes what is pressed, and lets nothing come of it. */
const WATCH = `addEventListener('click', (event) => {
  window.pressed = event.target
  event.preventDefault()
  event.stopImmediatePropagation()
}, true)`

/** What has the focus, if it is to be pressed: its words. Null where the round is over. */
const FOCUSED = `(() => {
  const focused = document.activeElement
  window.pressed = undefined
  if (focused === null || focused === document.body) return null
  const isPressable = focused.matches('a[href], button, summary, [role=button], [role=tab]')
  const isSeen = focused.dataset.isSeen === 'yes'
  focused.dataset.isSeen = 'yes'
  return { isPressable, isSeen, words: focused.outerHTML.slice(0, 120) }
})()`

interface Focused {
  readonly isPressable: boolean
  readonly isSeen: boolean
  readonly words: string
}

/** Goes through all that takes the focus, and returns what Enter does not press. */
async function findDead(page: Page): Promise<{ readonly dead: readonly string[]; readonly pressed: number }> {
  await page.evaluate(WATCH)
  const dead: string[] = []
  let pressed = 0
  for (let tabs = 0; ; tabs++) {
    await page.keyboard.press('Tab')
    const focused = (await page.evaluate(FOCUSED)) as Focused | null
    if (focused === null || focused.isSeen || tabs > MOST) return { dead, pressed }
    if (!focused.isPressable) continue
    await page.keyboard.press('Enter')
    if (await page.evaluate('window.pressed === document.activeElement')) pressed++
    else dead.push(focused.words)
  }
}

describePage('Enter', () => {
  it('presses every link and button that has the focus, on every screen with keys of its own', async () => {
    verifies('page.keyboard')
    const { server } = await openScene()
    const { page } = await openPage(server)
    for (const screen of SCREENS) {
      await page.goto(`${server.url}/ui/${screen}`)
      await page.locator('main :is(.row, .inbox-row)').first().waitFor()
      // What stands beside the screens is the same for all of them.
      if (screen !== 'inbox') await page.locator('main').focus()
      const { dead, pressed } = await findDead(page)
      expect(dead, screen).toEqual([])
      expect(pressed, screen).toBeGreaterThan(screen === 'inbox' ? 15 : 0)
    }
  })

  it('still opens the first message of an inbox where nothing has the focus', async () => {
    const { server } = await openScene()
    const { page } = await openPage(server)
    await page.locator('.inbox-row').first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/ui\/inbox\/msg_/)
  })
})
