import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { NEEDS_LINUX } from '../helpers/needs.ts'
import { processesIn } from './leftovers.ts'
import { makePlace } from './place.ts'

const homes: string[] = []

test('a place has processes of its own that nobody waits for', NEEDS_LINUX, async () => {
  const { home, env } = await makePlace()
  homes.push(home)
  // As the watcher of a session does: in a group of its own, and writing there as long as it lives.
  const script = 'while true; do mkdir -p "$HOME"; date >"$HOME/date"; done'
  spawn('sh', ['-c', script], { env, detached: true, stdio: 'ignore' }).unref()
  await expect.poll(() => existsSync(`${home}/date`)).toBe(true)
  expect(processesIn(home)).not.toEqual([])
})

// Here the test has finished, and what it registered for that has been done.
afterAll(() => {
  expect(homes.map((home) => [processesIn(home), existsSync(home)])).toEqual(homes.map(() => [[], false]))
})
