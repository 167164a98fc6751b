import { execFileSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Lab, Subject } from './lab.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** I1: from the registry alone, without scripts and without a compiler. Once, because it is about seconds. */
export const install: Subject = (lab) => [
  {
    title: 'npm install of the package',
    rounds: 1,
    warmUps: 0,
    contestants: [{ name: 'postern', enter: async () => ({ block: () => installOnce(lab) }) }],
    goals: [{ id: 'I1', ours: 'postern', atMost: 10_000 }],
  },
]

let measured: number | undefined

function installOnce(lab: Lab): number {
  if (measured !== undefined) return measured
  const tarballs = lab.newFolder()
  execFileSync('npm', ['pack', '--silent', '--pack-destination', tarballs], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [tarball] = readdirSync(tarballs)
  if (tarball === undefined) throw new Error('npm pack made nothing')
  const folder = lab.newFolder()
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  const startedAt = performance.now()
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-online', join(tarballs, tarball)]
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  measured = performance.now() - startedAt
  execFileSync(process.execPath, [join(folder, 'node_modules/postern/bin/postern.cjs'), 'version'], { stdio: 'pipe' })
  return measured
}
