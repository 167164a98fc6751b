import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

it('the guide about scale shows what its simulation prints', () => {
  const printed = execFileSync(process.execPath, ['scripts/simulate-scale.ts'], { cwd: ROOT, encoding: 'utf8' })
  expect(printed.trimEnd().split('\n')).toHaveLength(11)
  expect(readFileSync(`${ROOT}docs/guides/scale.md`, 'utf8')).toContain(`\n\n${printed}\n`)
})
