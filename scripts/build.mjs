// Builds what is shipped: the executable's bundles (scripts/bundles.mjs), the library, its types, and the page.
// Plain JavaScript, because it runs while the project is being installed.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildWeb } from './build-web.mjs'
import { bundleLibrary, bundlePrograms, bundleText } from './bundles.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')
const builtWeb = join(root, '.cache', 'web')

const programs = await bundlePrograms(root)
const library = await bundleLibrary(root)
// Whoever works on something else keeps the page that was built last.
const hasWeb = process.argv.includes('--no-web') ? existsSync(builtWeb) : await buildWeb(root, builtWeb)
const { formatPluginHooks } = await load('src/hooks/install/plugin.ts')

// Nothing of an earlier build is touched before this one has succeeded.
rmSync(dist, { recursive: true, force: true })
mkdirSync(dist, { recursive: true })
for (const { fileName, code } of programs) writeFileSync(join(dist, fileName), withDigest(asAscii(code)))
for (const { fileName, code } of library) writeFileSync(join(dist, fileName), code)
if (hasWeb) cpSync(builtWeb, join(dist, 'web'), { recursive: true })
linkExecutable()
buildPlugin()
// The test of the bundles' contents reads this.
writeFileSync(join(dist, 'bundles.json'), JSON.stringify(contentsOf(programs)))
if (!process.argv.includes('--no-types')) {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' })
}

/** Each file with the modules that it holds and those that it loads with itself. */
function contentsOf(files) {
  return Object.fromEntries(
    files.map(({ fileName, modules, imports }) => [fileName, { modules: Object.keys(modules), imports }]),
  )
}

/** Text beyond ASCII would make Node hold a whole bundle at twice its size. */
function asAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** By this `bin/postern.cjs` tells whether code that was kept belongs to a bundle. */
function withDigest(text) {
  return `${text}//${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
}

/** In a clone `npx postern` then finds the executable here, instead of installing the clone somewhere first. */
function linkExecutable() {
  const link = join(root, 'node_modules', '.bin', 'postern')
  if (!existsSync(dirname(link))) return
  rmSync(link, { force: true })
  symlinkSync(join('..', '..', 'bin', 'postern.cjs'), link)
}

/** Imports a source file as it is, also on a Node that does not read TypeScript. */
async function load(path) {
  const code = await bundleText(root, path)
  return import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)
}

/** The plugin of Claude Code: its template, this version, and the hooks that `postern init` installs too. */
function buildPlugin() {
  const plugin = join(dist, 'plugin', 'claude-code')
  cpSync(join(root, 'plugin', 'claude-code'), plugin, { recursive: true })
  const manifest = join(plugin, '.claude-plugin', 'plugin.json')
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const filled = { ...JSON.parse(readFileSync(manifest, 'utf8')), version }
  writeFileSync(manifest, `${JSON.stringify(filled, null, 2)}\n`)
  writeFileSync(join(plugin, 'hooks', 'hooks.json'), formatPluginHooks())
}
