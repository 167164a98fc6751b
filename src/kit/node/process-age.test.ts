import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { parseAge, processAgeMs } from './process-age.ts'

const STAT = '12 (a (b) c) S 1 12 12 0 -1 4194560 1 0 0 0 1 1 0 0 20 0 1 0 5000 1 1'

it('is never more than the time that has passed since the process began', () => {
  expect(parseAge(STAT, '50.37 1.00\n')).toBeCloseTo(360)
  expect(parseAge(STAT, '49.00 1.00\n')).toBe(0)
  expect(parseAge('', '')).toBe(0)
})

it('counts what a shell did before it became this process, and nothing else', () => {
  const module = new URL('./process-age.ts', import.meta.url).pathname
  const script = `import { processAgeMs } from '${module}'; process.stdout.write(String(processAgeMs()()))`
  const line = 'sleep 0.5; exec "$0" --no-warnings --input-type=module -e "$1"'
  const startedAt = performance.now()
  const age = Number(execFileSync('sh', ['-c', line, process.execPath, script]))
  expect(age).toBeGreaterThan(480)
  expect(age).toBeLessThan(performance.now() - startedAt)
})

it('goes on', async () => {
  const age = processAgeMs()
  const before = age()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(age() - before).toBeGreaterThanOrEqual(15)
})
