import { defineConfig } from 'vitest/config'

/** One project per layer, so that `npm run check` stays quick and `npm test` runs them all. */
const project = (name: string, include: string[], testTimeout = 20_000, globalSetup: string[] = []) => ({
  test: { name, include, testTimeout, hookTimeout: 120_000, pool: 'forks' as const, globalSetup },
})

const POSTGRES = ['./test/helpers/global-postgres.ts']

export default defineConfig({
  test: {
    projects: [
      project('house', ['test/house/**/*.test.ts']),
      project('unit', ['src/**/*.test.ts', 'web/**/*.test.ts']),
      project('conformance', ['test/conformance/**/*.test.ts'], 60_000, POSTGRES),
      project('scenarios', ['test/scenarios/**/*.test.ts'], 60_000, POSTGRES),
      project('faults', ['test/faults/**/*.test.ts'], 600_000),
      project('web', ['test/web/**/*.test.ts'], 90_000, ['./test/web/global-browser.ts']),
      project('hiero', ['test/hiero/*.test.ts'], 60_000),
      project('mcp', ['test/mcp/*.test.ts'], 60_000),
      project('hosts', ['test/hosts/**/*.test.ts'], 120_000, ['./test/hosts/global-clients.ts']),
    ],
  },
})
