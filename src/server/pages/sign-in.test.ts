import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { type Asked, openServer } from '../../../test/helpers/http-server.ts'

const WEEK_S = 7 * 24 * 60 * 60

async function openWithPeople(now?: () => number) {
  const server = await openServer(now && { now })
  const { postern } = server.served
  await postern.agents.add({ id: 'quinn' })
  await postern.agents.add({ id: 'justin', kind: 'human', isOwner: true })
  await postern.agents.add({ id: 'robin', kind: 'human' })
  const { host } = new URL(server.url)
  /** As a browser asks for what our own page wants. */
  const browse = (route: string, cookie: string | null, asked: Asked = {}) =>
    server.ask(route, {
      token: null,
      ...asked,
      headers: {
        ...(cookie && { cookie }),
        'sec-fetch-site': 'same-origin',
        ...(!route.startsWith('GET') && { origin: `http://${host}` }),
        ...asked.headers,
      },
    })
  const link = async (person = 'justin', token?: string) =>
    (await server.ask('POST /api/v1/sign-ins', { body: { person }, ...(token && { token }) })).body.path as string
  const open = (path: string, headers = {}) => server.ask(`GET ${path}`, { token: null, headers })
  const signIn = async (person = 'justin', token?: string) => cookieOf(await open(await link(person, token)))
  return { ...server, browse, link, open, signIn }
}

function cookieOf({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): string {
  return String((headers['set-cookie'] as string[] | undefined)?.[0] ?? '').split(';')[0] ?? ''
}

describe('a link to the page', () => {
  it('is good once, and leaves a cookie that no script can read', async () => {
    const { link, open, url } = await openWithPeople()
    const path = await link()
    const entered = await open(path)
    expect(entered).toMatchObject({ status: 303, headers: { location: '/ui/' } })
    const set = String(entered.headers['set-cookie'])
    expect(set).toMatch(new RegExp(`^postern_${new URL(url).port}=pst_[\\w-]{43}; Path=/; `))
    expect(set).toMatch(/; HttpOnly; SameSite=Strict$/)
    expect(Number(/Max-Age=(\d+)/.exec(set)?.[1])).toBeLessThanOrEqual(WEEK_S)
    const again = await open(path)
    expect(again).toMatchObject({ status: 401, text: expect.stringContaining('postern ui') })
    expect(again.headers).not.toHaveProperty('set-cookie')
  })

  it('signs nobody in from a page of somebody else, unless the owner of the server asked for it', async () => {
    const { link, open, token } = await openWithPeople()
    const elsewhere = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    const ofPerson = await link('justin', await token('human:justin'))
    for (const site of ['cross-site', 'same-site'])
      expect((await open(ofPerson, { ...elsewhere, 'sec-fetch-site': site })).body.code).toBe('ORIGIN_REFUSED')
    expect((await open(ofPerson, { ...elsewhere, 'sec-fetch-site': 'none' })).status).toBe(303)
    // A local file, which is how "postern ui" opens the browser, counts as a page of somebody else.
    expect((await open(await link(), { ...elsewhere, 'sec-fetch-site': 'cross-site' })).status).toBe(303)
    expect((await open(await link(), { 'sec-fetch-site': 'cross-site' })).body.code).toBe('ORIGIN_REFUSED')
  })

  it('is over after minutes, and is not used up by whoever only looks at it', async () => {
    let now = Date.now()
    const { link, open, ask } = await openWithPeople(() => now)
    const [late, looked] = [await link(), await link()]
    expect((await ask(`HEAD ${looked}`, { token: null })).headers).not.toHaveProperty('set-cookie')
    expect((await open(looked, { 'sec-purpose': 'prefetch' })).status).toBe(401)
    expect((await open(looked)).status).toBe(303)
    now += 5 * 60_000 + 1
    expect((await open(late)).status).toBe(401)
  })

  it('that stands on the page itself, as in a message, makes nobody somebody else', async () => {
    const { link, open, signIn, browse } = await openWithPeople()
    const [cookie, path] = [await signIn('justin'), await link('robin')]
    const followed = await browse(`GET ${path}`, cookie)
    expect(followed).toMatchObject({ status: 303, headers: { location: '/ui/' } })
    expect(followed.headers).not.toHaveProperty('set-cookie')
    expect((await browse(`GET ${path}`, null)).status).toBe(401)
    expect(cookieOf(await open(path, { 'sec-fetch-site': 'none' }))).not.toBe('')
  })

  it('leads to the screen that it names, and to no other place', async () => {
    const { link, open } = await openWithPeople()
    const to = async (target: string) => (await open(`${await link()}&to=${encodeURIComponent(target)}`)).headers
    expect((await to('/ui/decisions/dec_01J'))['location']).toBe('/ui/decisions/dec_01J')
    for (const target of [
      'https://evil.example',
      '//evil.example',
      '/ui//evil.example',
      '/api/v1/agents',
      '/ui/\\\\x',
      '/ui/../api/v1/agents',
      '/ui/x/%2e%2E/../api/v1/agents',
    ]) {
      expect((await to(target))['location'], target).toBe('/ui/')
    }
  })

  it('is got for oneself, or by an administrator for a person, and never for a program', async () => {
    const { ask, token, served } = await openWithPeople()
    const tokens = { justin: await token('human:justin'), quinn: await token('agent:quinn') }
    const asked = (person: string | undefined, as?: string) =>
      ask('POST /api/v1/sign-ins', { body: person === undefined ? {} : { person }, ...(as && { token: as }) })
    expect(await asked(undefined, tokens.justin)).toMatchObject({ status: 201, body: { person: 'justin' } })
    expect((await asked('robin', tokens.justin)).body.code).toBe('NOT_ALLOWED')
    expect((await asked('justin', tokens.quinn)).body.code).toBe('NOT_ALLOWED')
    expect((await asked('quinn')).body.code).toBe('NOT_ALLOWED')
    expect((await asked('nobody')).body.code).toBe('AGENT_NOT_FOUND')
    expect((await asked(undefined)).body.code).toBe('INPUT_INVALID')
    expect((await served.postern.tokens.list()).filter(({ parentId }) => parentId !== null)).toEqual([])
  })

  it('opens nothing but the page', async () => {
    const { link, ask } = await openWithPeople()
    const ticket = (await link()).split('=')[1]
    expect((await ask(`GET /api/v1/agents?ticket=${ticket}`, { token: null })).status).toBe(401)
  })
})

describe('a cookie of the page', () => {
  it('stands for the person, at every route', async () => {
    const { browse, signIn } = await openWithPeople()
    const cookie = await signIn()
    const caller = { id: 'justin', kind: 'human', verified: true, via: 'http' }
    expect((await browse('GET /api/v1/caller', cookie)).body).toEqual({ caller })
    const pushed = await browse('POST /api/v1/inbox', cookie, { body: { to: ['quinn'], content: 'hello' } })
    expect(pushed.status).toBe(201)
    const { body } = await browse(`GET /api/v1/inbox/${pushed.body.id}`, cookie)
    expect(body.message.from).toEqual(caller)
    expect((await browse('GET /api/v1/tokens', cookie)).body.code).toBe('NOT_ALLOWED')
  })

  it('changes nothing where the request does not say that it is from the page', async () => {
    const { ask, signIn, url } = await openWithPeople()
    const cookie = await signIn()
    const body = { to: ['quinn'], content: 'x' }
    const push = (headers: Readonly<Record<string, string>>) =>
      ask('POST /api/v1/inbox', { token: null, body, headers: { cookie, ...headers } })
    expect((await push({})).body.code).toBe('ORIGIN_REFUSED')
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1']) {
      expect((await push({ origin })).body.code, origin).toBe('ORIGIN_REFUSED')
    }
    for (const site of ['cross-site', 'same-site']) {
      expect((await push({ origin: new URL(url).origin, 'sec-fetch-site': site })).body.code, site).toBe(
        'ORIGIN_REFUSED',
      )
    }
    expect((await push({ origin: new URL(url).origin })).status).toBe(201)
  })

  it('ends with signing out, and is taken away', async () => {
    const { browse, signIn } = await openWithPeople()
    const [cookie, other] = [await signIn(), await signIn()]
    const left = await browse('POST /ui/leave', cookie)
    expect(left.status).toBe(204)
    expect(String(left.headers['set-cookie'])).toContain('Max-Age=0')
    expect((await browse('GET /api/v1/caller', cookie)).status).toBe(401)
    expect((await browse('GET /api/v1/caller', other)).status).toBe(200)
  })

  it('ends with the token that it was got with', async () => {
    const { browse, signIn, token, served } = await openWithPeople()
    const { postern } = served
    const cookie = await signIn('justin', await token('human:justin'))
    const [parent] = (await postern.tokens.list()).filter((each) => each.scope === 'human:justin' && !each.parentId)
    expect((await browse('GET /api/v1/caller', cookie)).status).toBe(200)
    await postern.tokens.revoke({ id: parent!.id })
    expect((await browse('GET /api/v1/caller', cookie)).status).toBe(401)
  })

  it('lasts no longer than that token, however often somebody signs in from the page', async () => {
    const { served, browse, signIn, open } = await openWithPeople()
    const { token, id } = await served.postern.tokens.create({ scope: 'human:justin', ttlMs: 60_000 })
    const first = await open((await browse('POST /api/v1/sign-ins', null, { token, body: {} })).body.path)
    const cookie = cookieOf(first)
    const second = await open((await browse('POST /api/v1/sign-ins', cookie, { body: {} })).body.path)
    for (const { headers } of [first, second]) {
      expect(Number(/Max-Age=(\d+)/.exec(String(headers['set-cookie']))?.[1])).toBeLessThanOrEqual(60)
    }
    const got = (await served.postern.tokens.list()).filter(({ parentId }) => parentId !== null)
    expect(got.map(({ parentId }) => parentId)).toEqual([id, id])
    expect(await signIn('robin')).not.toBe('')
  })

  it('is one of a bounded number: the oldest gives way', async () => {
    const { browse, signIn, served } = await openWithPeople()
    const first = await signIn()
    for (let at = 0; at < 20; at++) await signIn()
    expect((await served.postern.tokens.list()).filter(({ parentId }) => parentId !== null)).toHaveLength(20)
    expect((await browse('GET /api/v1/caller', first)).status).toBe(401)
  })

  it('that is no good is refused in words, however often, and counts as no guess', async () => {
    const { browse, url } = await openWithPeople()
    const stale = `postern_${new URL(url).port}=pst_${'A'.repeat(43)}`
    for (let at = 0; at < 30; at++) {
      const { status, body } = await browse('GET /api/v1/caller', stale)
      expect(status).toBe(401)
      expect(body.next).toContain('postern ui')
    }
  })

  it('opens the stream of events, which ends when it does', async () => {
    const { url, browse, signIn } = await openWithPeople()
    const cookie = await signIn()
    const asked = request(`${url}/api/v1/events`, { headers: { cookie, accept: 'text/event-stream' } }).end()
    const [stream] = await once(asked, 'response')
    expect(stream.headers['content-type']).toContain('text/event-stream')
    stream.resume()
    await browse('POST /ui/leave', cookie)
    await once(stream, 'end')
  })
})
