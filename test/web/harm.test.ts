import { expect, it } from 'vitest'
import { connectPostern } from '../../src/client/connect.ts'
import { verifies } from '../scenarios/verifies.ts'
import { describePage, openPage, startPageServer } from './harness.ts'

/** What somebody writes who wants a program of theirs to run here, or something to be fetched from there. */
const ATTACKS = [
  '<img src="http://evil.example/x.png" onerror="globalThis.isHarmed=true">',
  '</script><script>globalThis.isHarmed=true</script>',
  '[click](javascript:globalThis.isHarmed=true)',
  '[click](JaVaScRiPt:globalThis.isHarmed=true) ![x](http://evil.example/y.png)',
  '<svg onload="globalThis.isHarmed=true"><a xlink:href="javascript:globalThis.isHarmed=true">x</a></svg>',
  '"><iframe srcdoc="<script>parent.isHarmed=true</script>">',
  '<style>body{background:url(http://evil.example/z.png)}</style>',
  'data:text/html,<script>parent.isHarmed=true</script>',
]
const ATTACK = ATTACKS.join('\n')
const LINE = ATTACKS.join(' ').slice(0, 480)
const SCHEMES = ['http:', 'https:', 'mailto:']
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" onload="globalThis.isHarmed=true"/>'

async function playAttack(server: { readonly url: string; readonly token: string }) {
  const admin = await connectPostern(server)
  await admin.agents.add({ id: 'rosa', kind: 'human', displayName: '<img src=x onerror=isHarmed=1>' })
  await admin.agents.add({ id: 'mallory', kind: 'ai', displayName: '</script><script>isHarmed=1</script>' })
  const mallory = admin.as({ id: 'mallory', kind: 'ai', verified: true, via: 'http' })
  const rosa = admin.as({ id: 'rosa', kind: 'human', verified: true, via: 'http' })
  await mallory.sessions.begin({ id: 'x"><img', agent: 'mallory', host: 'generic', project: LINE })
  const { id } = await mallory.inbox.push({
    to: ['rosa'],
    subject: LINE,
    content: ATTACK,
    payload: { [LINE]: ATTACK },
    context: { html: ATTACK },
    ref: LINE.slice(0, 100),
    attachments: [
      { name: 'x.svg', url: 'javascript:globalThis.isHarmed=true', sha256: 'a'.repeat(64), bytes: 1 },
      { name: '<img src=x onerror=isHarmed=1>', path: '/x"onload=isHarmed=1', sha256: 'b'.repeat(64), bytes: 1 },
    ],
  })
  const decision = await mallory.decisions.create({
    question: LINE,
    context: ATTACK,
    options: ATTACKS.map((text, at) => ({ key: `k${at}`, label: text, description: text })),
    ask: ['rosa'],
  })
  const gate = await rosa.gates.create({ agent: 'mallory', kind: 'human', reason: LINE })
  await rosa.spaces.create({ id: 'space', name: LINE.slice(0, 100), members: ['rosa', 'mallory'] })
  await mallory.spaces.post({ id: 'space', content: ATTACK })
  for (const type of ['ISSUE', 'FACT'])
    await mallory.bus.post({
      project_id: 'p',
      type,
      issue_id: 'i-1',
      body: ATTACK,
      meta: { html: ATTACK },
      attachments: [{ name: 'x.svg', data: Buffer.from(SVG).toString('base64'), mime: 'image/svg+xml', label: LINE }],
    })
  await rosa.plans.set({ plans: [{ agent: 'mallory', name: 'evil', instruction: ATTACK, cron: '0 9 * * *' }] })
  const service = await rosa.services.create({ name: 'ci', agent: 'rosa' })
  await admin.services.trigger({ agent: 'rosa', proof: { key: service.key }, payload: { html: ATTACK }, subject: LINE })
  await mallory.messages.send({ to_agent: 'rosa', message_type: 'x', subject: LINE, payload: { html: ATTACK } })
  const [plan] = await admin.plans.list({})
  const topics = await rosa.ledger.topics({ role: 'inbound' })
  await admin.close()
  return [
    `/inbox/${id}`,
    '/inbox?view=done',
    `/decisions/${decision.id}`,
    `/gates/${gate.id}`,
    '/spaces/space',
    '/bus/p',
    '/bus/p?view=graph',
    `/plans/${plan?.id}`,
    '/plans?view=calendar',
    '/agents/mallory',
    '/trace',
    `/trace/${id}`,
    `/services/${service.id}`,
    ...topics.map((topic) => `/ledger/${topic.id}`),
    '/metrics',
    '/doctor',
    `/inbox/${encodeURIComponent(LINE)}`,
  ]
}

describePage('what somebody else wrote', () => {
  it('runs nothing and fetches nothing, in whatever field it stands', async () => {
    verifies('page.harm')
    const server = await startPageServer()
    const paths = await playAttack(server)
    const { page, requests, faults } = await openPage(server)
    for (const path of paths) {
      await page.goto(`${server.url}/ui${path}`)
      await page.locator('main h1').first().waitFor({ state: 'attached' })
      await page.locator('.loading').first().waitFor({ state: 'detached' })
      for (const summary of await page.locator('details > summary:visible').all()) await summary.click()
      expect(await page.evaluate('globalThis.isHarmed'), path).toBeUndefined()
      expect(await page.locator('main :is(script, iframe, object, embed, style, img)').count(), path).toBe(0)
      const links = (await page.evaluate('[...document.links].map((link) => link.protocol)')) as string[]
      expect(
        links.filter((protocol) => !SCHEMES.includes(protocol)),
        path,
      ).toEqual([])
    }
    await page.keyboard.press('Control+k')
    await page.keyboard.type('onerror')
    await page.getByRole('option').first().waitFor()
    expect(await page.evaluate('globalThis.isHarmed')).toBeUndefined()
    expect(requests.filter((url) => new URL(url).origin !== server.url)).toEqual([])
    expect(faults).toEqual([])
  })

  it('would be found out: the same words as HTML do harm where no policy stands in the way', async () => {
    const server = await startPageServer()
    await server.ask('POST /api/v1/agents', { body: { id: 'rosa', kind: 'human' } })
    const { page } = await openPage(server)
    await page.goto('about:blank')
    await page.evaluate(`document.body.innerHTML = '<img src="x:" onerror="globalThis.isHarmed=true">'`)
    await expect.poll(() => page.evaluate('globalThis.isHarmed')).toBe(true)
  })

  it('is stopped by the policy of the page too', async () => {
    const server = await startPageServer()
    await server.ask('POST /api/v1/agents', { body: { id: 'rosa', kind: 'human' } })
    const { page } = await openPage(server)
    await expect(page.evaluate(`document.body.innerHTML = '<b>x</b>'`)).rejects.toThrow(/TrustedHTML/)
  })
})
