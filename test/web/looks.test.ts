import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { SCREENS } from '../../web/src/router/route.ts'
import { FULL } from '../helpers/tier.ts'
import { verifies } from '../scenarios/verifies.ts'
import { describePage, openPage, openScene, startPageServer } from './harness.ts'

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string }[]
}

/** What a checker of accessibility calls serious or worse. */
async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
    readonly violations: readonly Violation[]
  }
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
}

async function everyScreen(scene: { readonly decisionId: string; readonly gateId: string }) {
  const details = [`/decisions/${scene.decisionId}`, `/gates/${scene.gateId}`, '/spaces/release', '/bus/shop/receipts']
  const views = ['/bus/shop/receipts?view=graph', '/plans?view=calendar', '/agents/quinn']
  return [...Object.keys(SCREENS).map((name) => `/${name}`), ...details, ...views].map((path) => `/ui${path}`)
}

/** What is loaded has come, and nothing is still being drawn. */
async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor({ state: 'attached' })
  await page.locator('.loading').first().waitFor({ state: 'detached' })
}

describePage('every screen', () => {
  const LIGHT_AND_DARK = ['light', 'dark'] as const
  /** `npm test` looks at every eighth screen in the light and at every eighth in the dark, and the full tier at the rest. */
  const PARTS = 8
  const isLookedAt = (at: number, theme: number) => at % PARTS === theme * (PARTS / 2)

  async function lookAtScreens(isChosen: (at: number, theme: number) => boolean): Promise<void> {
    const { server, scene } = await openScene()
    const screens = await everyScreen(scene)
    const found: string[] = []
    for (const [theme, colorScheme] of LIGHT_AND_DARK.entries()) {
      const { page, faults } = await openPage(server, '/ui/inbox', { colorScheme, reducedMotion: 'reduce' })
      const ground = (await page.evaluate('getComputedStyle(document.body).backgroundColor')) as string
      const brightness = (ground.match(/\d+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part), 0)
      expect(colorScheme === 'dark' ? brightness < 200 : brightness > 600, ground).toBe(true)
      for (const path of screens.filter((_, at) => isChosen(at, theme))) {
        await page.goto(`${server.url}${path}`)
        await settled(page)
        expect(await page.locator('.problem').allTextContents(), path).toEqual([])
        found.push(...(await seriousFaults(page)).map((fault) => `${path}, ${colorScheme}: ${fault}`))
      }
      expect(faults).toEqual([])
    }
    expect(found).toEqual([])
  }

  it('has no serious fault for those who see or hear it otherwise, light or dark: some screens', async () => {
    verifies('page.looks')
    await lookAtScreens(isLookedAt)
  })

  it('has no serious fault for those who see or hear it otherwise, light or dark: the others', FULL, async () => {
    verifies('page.looks')
    await lookAtScreens((at, theme) => !isLookedAt(at, theme))
  })

  it('has no serious fault in what lies above it either', FULL, async () => {
    const { server } = await openScene()
    const { page } = await openPage(server)
    await page.getByRole('option').first().waitFor()
    for (const [key, title] of [
      ['Control+k', 'Search and go'],
      ['c', 'New message'],
      ['?', 'Keys'],
    ] as const) {
      await page.keyboard.press(key)
      await page.getByRole('dialog', { name: title }).waitFor()
      expect(await seriousFaults(page), title).toEqual([])
      // The first closes what it suggests.
      if (title === 'New message') await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
      await page.getByRole('dialog', { name: title }).waitFor({ state: 'detached' })
    }
  })

  async function openOnPhone(isChosen: (at: number) => boolean) {
    const { server, scene } = await openScene()
    const { page } = await openPage(server, '/ui/inbox', { viewport: { width: 380, height: 740 } })
    for (const path of (await everyScreen(scene)).filter((_, at) => isChosen(at))) {
      await page.goto(`${server.url}${path}`)
      await settled(page)
      const width = await page.evaluate('document.documentElement.scrollWidth')
      expect(width, path).toBeLessThanOrEqual(380)
    }
    return page
  }

  it('fits a phone: the others', FULL, async () => {
    verifies('page.looks')
    await openOnPhone((at) => at % 3 !== 0)
  })

  it('fits a phone: some screens', async () => {
    verifies('page.looks')
    const page = await openOnPhone((at) => at % 3 === 0)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'Doctor' }).click()
    await page.getByRole('heading', { name: 'Doctor', level: 1 }).waitFor()
  })

  it('lists the latest messages to be traced, the newest first', async () => {
    const { server, scene } = await openScene()
    const { id } = await scene.vera.inbox.push({ to: ['milo', 'quinn'], subject: 'The very newest', content: '…' })
    const { page } = await openPage(server, '/ui/trace')
    const first = page.getByRole('list', { name: 'Latest messages' }).getByRole('link').first()
    await first.getByText('The very newest').waitFor()
    await first.getByText('Vera → Milo, Quinn').waitFor()
    await first.click()
    await page.waitForURL(`**/ui/trace/${id}`)
  })

  it('shortens what does not fit into a box of the graph, and keeps the whole for whoever points at it', async () => {
    const { server, scene } = await openScene()
    const title = 'Wide words: WWWW MMMM WWWW MMMM'
    await scene.quinn.bus.post({ project_id: 'shop', task_id: 'wide', type: 'ISSUE', issue_id: 'W-1', body: title })
    const { page } = await openPage(server, '/ui/bus/shop/wide?view=graph')
    const node = page.locator('.graph-node')
    await node.waitFor()
    expect(await node.locator('title').textContent()).toContain(title)
    expect(await node.locator('.graph-title').textContent()).toMatch(/^Wide words: .+…$/)
    const width = async (part: string) => (await node.locator(part).boundingBox())?.width ?? Number.NaN
    expect(await width('.graph-title')).toBeLessThan(await width('rect'))
  })

  it('keeps the theme that was chosen', async () => {
    const { server } = await openScene()
    const { page } = await openPage(server, '/ui/doctor', { colorScheme: 'light' })
    await page.getByRole('button', { name: 'Theme: system' }).click()
    await page.getByRole('button', { name: 'Theme: light' }).click()
    await page.reload()
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
  })

  it('asks who one is where nobody has signed in, and after one has left', async () => {
    const server = await startPageServer()
    await server.ask('POST /api/v1/agents', { body: { id: 'rosa', kind: 'human' } })
    const { page, context } = await openPage(server)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Who are you?' }).waitFor()
    expect(await context.cookies()).toEqual([])
    await page.goto(`${server.url}/ui/gates`)
    await page.getByText('postern ui', { exact: true }).waitFor()
    expect(await seriousFaults(page)).toEqual([])
  })

  it('says what to type where there is nothing', FULL, async () => {
    const server = await startPageServer()
    await server.ask('POST /api/v1/agents', { body: { id: 'rosa', kind: 'human' } })
    const { page } = await openPage(server)
    for (const screen of ['inbox', 'decisions', 'gates', 'spaces', 'bus', 'plans', 'ledger', 'services', 'metrics']) {
      await page.goto(`${server.url}/ui/${screen}`)
      await page.locator('.empty .command').first().waitFor()
      expect(await page.locator('.empty .command code').first().textContent(), screen).toMatch(/^postern /)
    }
  })
})
