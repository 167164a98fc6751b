import { expect, it, onTestFinished } from 'vitest'
import { FULL } from '../helpers/tier.ts'
import { MCP_READER, MORTA, openScene } from '../scenarios/hostile/scene.ts'
import { plantEverything } from '../scenarios/hostile/writers.ts'
import { verifies } from '../scenarios/verifies.ts'
import { describePage, openPage, startPageServer } from './harness.ts'

/** Everything that a text of somebody else has become in the document besides text, and which texts it shows. */
const LOOK = `(() => {
  const marker = /zq[bcdfghjklmnpqrtv]+qz/g
  const all = [...document.querySelectorAll('*')]
  const strange = all.filter((each) => each instanceof HTMLUnknownElement || /-/.test(each.localName))
  const named = all.flatMap((each) => each.getAttributeNames()).filter((name) => name.match(marker))
  const active = [...document.querySelectorAll('main :is(script, iframe, object, embed, style, img)')]
  return {
    made: [...strange, ...active].map((each) => each.outerHTML.slice(0, 100)).concat(named),
    shown: [...new Set(document.body.textContent.match(marker) ?? [])],
  }
})()`

describePage('the page', () => {
  it('shows hostile texts of every field as text, and makes no element of them', FULL, async () => {
    verifies('page.harm')
    const scene = await openScene(Date.now() % 1_000_000)
    onTestFinished(() => scene.remove())
    await plantEverything(scene)
    const { postern } = scene
    const [message] = (await postern.inbox.search({ query: 'zq*', agent: MORTA.caller.id, limit: 1 })) ?? []
    const [decision] = await postern.decisions.list({ agent: MCP_READER })
    const [gate] = await postern.gates.list({ agent: MCP_READER })
    const [plan] = await postern.plans.list({})
    const [service] = await postern.services.list({})
    const topics = await postern.ledger.topics({ role: 'work' })
    await scene.close()
    const server = await startPageServer({ home: scene.home })
    const { page, requests, faults } = await openPage(server, '/ui/inbox', { person: 'petra' })
    const paths = [
      '/inbox',
      `/inbox/${message?.id}`,
      `/trace/${message?.id}`,
      '/decisions',
      `/decisions/${decision?.id}`,
      '/gates',
      `/gates/${gate?.id}`,
      '/spaces/plain',
      '/bus/shop',
      '/bus/shop?view=graph',
      `/plans/${plan?.id}`,
      '/agents/morta',
      `/services/${service?.id}`,
      ...topics.map(({ id }) => `/ledger/${id}`),
    ]
    const shown = new Set<string>()
    for (const path of paths) {
      await page.goto(`${server.url}/ui${path}`)
      await page.locator('main h1').first().waitFor({ state: 'attached' })
      await page.locator('.loading').first().waitFor({ state: 'detached' })
      const found = (await page.evaluate(LOOK)) as { readonly made: string[]; readonly shown: string[] }
      expect(found.made, path).toEqual([])
      for (const marker of found.shown) shown.add(marker)
    }
    const fields = new Set(scene.planted.filter(({ marker }) => shown.has(marker)).map(({ field }) => field))
    expect([...fields].length).toBeGreaterThan(20)
    expect(requests.filter((url) => new URL(url).origin !== server.url)).toEqual([])
    expect(faults).toEqual([])
  })

  it('would be found out: the same look finds an element that was made of a text', FULL, async () => {
    const server = await startPageServer()
    await server.ask('POST /api/v1/agents', { body: { id: 'rosa', kind: 'human' } })
    const { page } = await openPage(server)
    await page.goto('about:blank')
    await page.evaluate(
      `document.body.innerHTML = '<main><system-x></system-x><foo>zqbcdqz</foo><img src="x:"></main>'`,
    )
    const found = (await page.evaluate(LOOK)) as { readonly made: string[]; readonly shown: string[] }
    expect(found.made).toHaveLength(3)
    expect(found.shown).toEqual(['zqbcdqz'])
  })
})
