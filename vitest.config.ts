import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { leaveCodingAgent } from './test/helpers/hosts/outside-hosts.ts'

await leaveCodingAgent()

interface Layer {
  readonly include: readonly string[]
  readonly exclude?: readonly string[]
  readonly globalSetup?: readonly string[]
  /** True if test files of a worker share their modules. Their tests must leave nothing behind that another file sees. */
  readonly sharesModules?: boolean
}

/** Limits that only a dead machine reaches. A poll gives up before its test does, and says what it waited for. */
const TIMEOUT_MS = 240_000
const POLL_MS = 60_000

/** Unit tests that need PostgreSQL, NATS or Redis. `npm run check` leaves them to `npm test`. */
const ENGINE_TESTS = 'src/**/*.engine.test.ts'

/** Where hooks keep copies of their shadows, so that tests leave those of this machine's user alone. */
const RUNTIME_FOLDER = join(tmpdir(), 'postern-test-runtime')
mkdirSync(RUNTIME_FOLDER, { recursive: true, mode: 0o700 })

const POSTGRES = './test/helpers/global-postgres.ts'

/** One project per layer. `scripts/test.ts` runs them side by side. */
const LAYERS: Readonly<Record<string, Layer>> = {
  house: { include: ['test/house/**/*.test.ts'], sharesModules: true },
  unit: { include: ['src/**/*.test.ts', 'web/**/*.test.ts'], exclude: [ENGINE_TESTS], sharesModules: true },
  engines: { include: [ENGINE_TESTS], globalSetup: [POSTGRES], sharesModules: true },
  conformance: { include: ['test/conformance/**/*.test.ts'], globalSetup: [POSTGRES], sharesModules: true },
  scenarios: { include: ['test/scenarios/**/*.test.ts'], globalSetup: [POSTGRES] },
  faults: { include: ['test/faults/**/*.test.ts'], globalSetup: [POSTGRES] },
  blackbox: { include: ['test/blackbox/**/*.test.ts'], globalSetup: [POSTGRES] },
  web: { include: ['test/web/**/*.test.ts'], globalSetup: ['./test/web/global-browser.ts'], sharesModules: true },
  hiero: { include: ['test/hiero/*.test.ts'], globalSetup: ['./test/helpers/global-packages.ts'] },
  mcp: { include: ['test/mcp/*.test.ts'], globalSetup: ['./test/helpers/global-packages.ts'] },
  hosts: { include: ['test/hosts/**/*.test.ts'], globalSetup: ['./test/hosts/global-clients.ts'] },
}

/** When a test runs; see test/helpers/tier.ts. */
const TAGS = [
  { name: 'full', description: 'Runs in "npm run test:full" only.' },
  { name: 'campaign', description: 'Repeats something: in every tier, with more repetitions each time.' },
  { name: 'long', description: 'Runs in "npm run test:long" only.' },
]

export default defineConfig({
  test: {
    tags: TAGS,
    projects: Object.entries(LAYERS).map(
      ([name, { include, exclude = [], globalSetup = [], sharesModules = false }]) => ({
        test: {
          name,
          include: [...include],
          exclude: ['**/node_modules/**', ...exclude],
          globalSetup: [...globalSetup],
          testTimeout: TIMEOUT_MS,
          expect: { poll: { timeout: POLL_MS, interval: 20 } },
          hookTimeout: TIMEOUT_MS,
          env: { XDG_RUNTIME_DIR: RUNTIME_FOLDER },
          pool: 'forks' as const,
          isolate: !sharesModules,
        },
      }),
    ),
  },
})
