import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { verifies } from '../scenarios/verifies.ts'
import { NEEDS_CHROMIUM, openPage, startPageServer } from './harness.ts'

const MOST_BYTES = 60_000
const BUILT = fileURLToPath(new URL('../../dist/web', import.meta.url))

it('loads at most 60 KB before the inbox is there', NEEDS_CHROMIUM, async () => {
  verifies('page.size')
  const server = await startPageServer()
  await server.ask('POST /api/v1/agents', { body: { id: 'rosa', kind: 'human' } })
  const { page, requests } = await openPage(server)
  await page.getByText('Nothing waits for you').waitFor()
  const files = new Set(requests.map((url) => new URL(url).pathname).filter((path) => /\.(?:js|css|svg)$/.test(path)))
  const sizes = [...files].map((path) => gzipSync(readFileSync(`${BUILT}${path.slice('/ui'.length)}`)).length)
  expect(sizes.length).toBeGreaterThan(3)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES)
})

it('parses no markup, in none of its own sources', () => {
  const sources = globSync('web/src/**/*.{ts,tsx}', { cwd: fileURLToPath(new URL('../..', import.meta.url)) })
  expect(sources.length).toBeGreaterThan(50)
  for (const path of sources.filter((each) => !each.endsWith('.test.ts'))) {
    const text = readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')
    expect(text, path).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|dangerouslySet|document\.write|eval\(/)
  }
})
