import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { openServer } from '../../../test/helpers/http-server.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'

const INDEX = '<!doctype html><title>Postern</title>'
const SCRIPT = 'console.log(1)'

function builtPage(): string {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), INDEX)
  writeFileSync(join(folder, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(join(folder, 'assets', 'main-abc123.js'), SCRIPT)
  writeFileSync(join(folder, 'assets', 'main-abc123.js.gz'), gzipSync(SCRIPT))
  return folder
}

const openPage = async () => {
  const { ask, ...server } = await openServer({ web: builtPage() })
  return { ...server, get: (path: string, headers = {}) => ask(`GET ${path}`, { token: null, headers }) }
}

describe('the page', () => {
  it('is one document at every path below it, for everybody who reaches the server', async () => {
    const { get } = await openPage()
    for (const path of [
      '/ui/',
      '/ui/inbox',
      '/ui/decisions/dec_01J',
      '/ui/a/b/c',
      '/ui/..%2f..%2fetc%2fpasswd',
      '/ui/%zz',
    ]) {
      expect(await get(path), path).toMatchObject({ status: 200, text: INDEX })
    }
    for (const path of ['/', '/ui']) expect((await get(path)).headers['location'], path).toBe('/ui/')
  })

  it('may load and ask nothing but what is here, and be framed by nobody', async () => {
    const { get } = await openPage()
    const { headers } = await get('/ui/')
    const rules = String(headers['content-security-policy']).split('; ')
    expect(rules).toContain("default-src 'none'")
    expect(rules).toContain("frame-ancestors 'none'")
    expect(rules).toContain("require-trusted-types-for 'script'")
    expect(rules.join(' ')).not.toMatch(/unsafe|data:|https?:|\*/)
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
  })

  it('has its hashed parts kept for ever, and asks for the others each time', async () => {
    const { get } = await openPage()
    const script = await get('/ui/assets/main-abc123.js')
    expect(script).toMatchObject({ status: 200, text: SCRIPT })
    expect(script.headers['cache-control']).toContain('immutable')
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8')
    const { headers } = await get('/ui/icon.svg')
    expect(headers).toMatchObject({ 'cache-control': 'no-cache', 'content-type': 'image/svg+xml' })
    const again = await get('/ui/icon.svg', { 'if-none-match': headers['etag'] })
    expect(again).toMatchObject({ status: 304, text: '' })
  })

  it('answers for a part that is gone with a refusal, not with the document', async () => {
    const { get } = await openPage()
    expect(await get('/ui/assets/main-old.js')).toMatchObject({ status: 404, body: { code: 'ROUTE_NOT_FOUND' } })
  })

  it('goes out compressed to whoever takes that, under a version of its own', async () => {
    const { get } = await openPage()
    const plain = await get('/ui/assets/main-abc123.js')
    const packed = await get('/ui/assets/main-abc123.js', { 'accept-encoding': 'br, gzip' })
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
    expect(packed.headers['etag']).not.toBe(plain.headers['etag'])
    const refused = await get('/ui/assets/main-abc123.js', { 'accept-encoding': 'gzip;q=0' })
    expect(refused.headers).not.toHaveProperty('content-encoding')
  })

  it('says how to build it where it is not', async () => {
    const { ask } = await openServer({ web: join(temporaryFolder(), 'nothing') })
    const { status, text } = await ask('GET /ui/inbox', { token: null })
    expect(status).toBe(503)
    expect(text).toContain('npm run build')
  })

  it('may be opened by a link of others, but neither framed nor asked by their pages', async () => {
    const { get } = await openPage()
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    expect((await get('/ui/decisions/dec_01J', link)).status).toBe(200)
    expect((await get('/ui/', { ...link, 'sec-fetch-dest': 'iframe' })).status).toBe(403)
    expect((await get('/ui/', { ...link, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' })).status).toBe(403)
    expect((await get('/ui/enter', link)).status).toBe(403)
    expect((await get('/api/v1/agents', link)).status).toBe(403)
    expect((await get('/ui/', { ...link, host: 'evil.example' })).status).toBe(403)
  })
})
