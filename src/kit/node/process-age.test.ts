import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { parseAge, processAgeMs } from './process-age.ts'

const STAT = '12 (a (b) c) S 1 12 12 0 -1 4194560 1 0 0 0 1 1 0 0 20 0 1 0 5000 1 1'

it('is never more than the time that has passed since the process began', () => {
  expect(parseAge(STAT, '50.37 1.00\n')).toBeCloseTo(360)
  expect(parseAge(STAT, '49.00 1.00\n')).toBe(0)
  expect(parseAge('', '')).toBe(0)
})

it('counts what a shell did before it became this process', () => {
  const module = new URL('./process-age.ts', import.meta.url).pathname
  const script = `import { processAgeMs } from '${module}'; process.stdout.write(String(processAgeMs()() - performance.now()))`
  const run = (before: string) =>
    Number(
      execFileSync('sh', [
        '-c',
        `${before} exec "$0" --no-warnings --input-type=module -e "$1"`,
        process.execPath,
        script,
      ]),
    )
  expect(run('sleep 0.5;')).toBeGreaterThan(400)
  expect(run('')).toBeLessThan(400)
})

it('goes on', async () => {
  const age = processAgeMs()
  const before = age()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(age() - before).toBeGreaterThanOrEqual(15)
})
