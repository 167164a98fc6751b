// Builds what is shipped: the executable's bundles, from the smallest to the largest, the library, its types, and the page.
// Plain JavaScript, because it runs while the project is being installed.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { buildWeb } from './build-web.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')
const builtWeb = join(root, '.cache', 'web')

/** Parts that are loaded on use stay files of their own beside the bundle that asks for them. */
const onUse = {
  name: 'on-use',
  setup(plugin) {
    plugin.onResolve(
      {
        filter:
          /\/(?:remote|maintenance|tend|fire|cron|hook-verbs|handoff-verbs|handoffs|push-in-full|rare-shelves|ingest|spool|fallback|inheriting|run-command|bells|queue|bus-registry|rewake|connect|open-courier|ledgers|hedera-ledger|open-listening|listening|publish-briefly|serving|proof|serve|secrets|nats-wire|redis-wire|mcp-stdio|mcp-http|sign-in-link)\.ts$/,
      },
      ({ kind, path }) =>
        kind === 'dynamic-import' ? { path: `./${basename(path, '.ts')}.cjs`, external: true } : undefined,
    )
    plugin.onResolve({ filter: /^yaml$/ }, ({ kind }) =>
      kind === 'require-call' ? { path: './yaml.cjs', external: true } : undefined,
    )
  },
}

/** What touches a bus every time has its files within. */
const withBuses = {
  name: 'with-buses',
  setup(plugin) {
    plugin.onResolve({ filter: /\/bus-registry\.ts$/ }, ({ path, resolveDir }) => ({ path: join(resolveDir, path) }))
  },
}

/**
 * What runs at every step of an agent refuses nothing of what wakes agents from outside, so it need not know the words for
 * it. An error that one of its parts throws brings its words along. A test looks whether any of these codes is left.
 */
const withoutSourceErrors = {
  name: 'without-source-errors',
  setup(plugin) {
    plugin.onLoad({ filter: /\/errors\/source-errors\.ts$/ }, () => ({ contents: 'export const SOURCE_ERRORS = {}' }))
  },
}

/** A look that fails says nothing: it leaves everything to the next bundle. */
const withoutErrors = {
  name: 'without-errors',
  setup(plugin) {
    plugin.onLoad({ filter: /\/errors\/error-table\.ts$/ }, () => ({ contents: 'export const ERRORS = {}' }))
  },
}

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node22.13',
  minify: true,
  charset: 'utf8',
  legalComments: 'none',
  metafile: true,
  write: false,
  logLevel: 'warning',
  // A bundle that is CommonJS knows its folder without it.
  logOverride: { 'empty-import-meta': 'silent' },
}

const executables = {
  ...common,
  format: 'cjs',
  outdir: dist,
  outExtension: { '.js': '.cjs' },
  // Text beyond it would have Node hold a whole bundle at twice its size.
  charset: 'ascii',
  external: ['pg-native'],
  plugins: [onUse],
  entryPoints: {
    main: 'src/cli/main.ts',
    remote: 'src/host/remote.ts',
    connect: 'src/host/serving/connect.ts',
    'sign-in-link': 'src/host/serving/sign-in-link.ts',
    'open-courier': 'src/host/courier/open-courier.ts',
    ledgers: 'src/host/ledger/ledgers.ts',
    'hedera-ledger': 'src/ledger/hedera/hedera-ledger.ts',
    'open-listening': 'src/host/ledger/open-listening.ts',
    listening: 'src/host/ledger/listening.ts',
    'publish-briefly': 'src/host/ledger/publish-briefly.ts',
    proof: 'src/host/ledger/proof.ts',
    serving: 'src/host/ledger/serving.ts',
    maintenance: 'src/store/sqlite/maintenance.ts',
    'rare-shelves': 'src/store/sqlite/rare-shelves.ts',
    'push-in-full': 'src/core/inbox/push-in-full.ts',
    'hook-verbs': 'src/core/gates/hook-verbs.ts',
    'handoff-verbs': 'src/core/handoff/handoff-verbs.ts',
    handoffs: 'src/host/handoff/handoffs.ts',
    tend: 'src/core/gates/tend.ts',
    fire: 'src/core/plans/fire.ts',
    cron: 'src/host/cron.ts',
    ingest: 'src/core/inbox/ingest.ts',
    spool: 'src/host/spool.ts',
    fallback: 'src/hooks/fallback.ts',
    inheriting: 'src/hooks/inheriting.ts',
    'run-command': 'src/kit/node/run-command.ts',
    secrets: 'src/host/credentials/secrets.ts',
    bells: 'src/wires/local/bells.ts',
    queue: 'src/store/sqlite/queue.ts',
    'log-thread': 'src/store/sqlite/log-thread.ts',
    'bus-registry': 'src/host/bus/bus-registry.ts',
    yaml: 'yaml',
    rewake: 'src/cli/commands/wake/rewake.ts',
    serve: 'src/server/serve.ts',
    'mcp-stdio': 'src/mcp/mcp-stdio.ts',
    'mcp-http': 'src/mcp/mcp-http.ts',
    'nats-wire': 'src/wires/nats/nats-wire.ts',
    'redis-wire': 'src/wires/redis/redis-wire.ts',
  },
}

/** Those that run thousands of times a day. */
const often = {
  ...executables,
  plugins: [onUse, withoutSourceErrors],
  entryPoints: { hot: 'src/cli/hot.ts', hook: 'src/cli/entries/hook.ts' },
}

const bus = {
  ...executables,
  plugins: [withBuses, onUse],
  entryPoints: { bus: 'src/cli/bus.ts' },
}

/** Those that come before them, and mostly find that there is nothing to do. */
const looks = {
  ...executables,
  plugins: [onUse, withoutErrors],
  entryPoints: { peek: 'src/cli/entries/drain-look.ts', 'hook-peek': 'src/cli/entries/hook-look.ts' },
}

const library = {
  ...common,
  minify: false,
  format: 'esm',
  splitting: true,
  outdir: dist,
  packages: 'external',
  entryPoints: { index: 'src/index.ts', client: 'src/client/connect.ts' },
}

const bundles = [await build(looks), await build(often), await build(bus), await build(executables)]
const exported = await build(library)
// Whoever works on something else keeps the page that was built last.
const hasWeb = process.argv.includes('--no-web') ? existsSync(builtWeb) : await buildWeb(root, builtWeb)
const { formatPluginHooks } = await load('src/hooks/install/plugin.ts')

// Nothing of an earlier build is touched before this one has succeeded.
rmSync(dist, { recursive: true, force: true })
mkdirSync(dist, { recursive: true })
for (const { path, text } of bundles.flatMap(({ outputFiles }) => outputFiles))
  writeFileSync(path, withDigest(requiringParts(text)))
for (const { path, contents } of exported.outputFiles) writeFileSync(path, contents)
if (hasWeb) cpSync(builtWeb, join(dist, 'web'), { recursive: true })
linkExecutable()
buildPlugin()
// The test of the bundles' contents reads this.
writeFileSync(join(dist, 'bundles.json'), JSON.stringify({ outputs: outputsOf(bundles) }))
if (!process.argv.includes('--no-types')) {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' })
}

function outputsOf(built) {
  return Object.assign({}, ...built.map(({ metafile }) => metafile.outputs))
}

/** The first import of a program makes it load Node's other loader, and code that was kept cannot import at all. */
function requiringParts(text) {
  const required = text.replaceAll('import("./', 'part("./')
  return required === text ? text : `${required}async function part(path){return require(path)}\n`
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

/** Runs a source file as it is, also by a Node that does not read TypeScript. */
async function load(path) {
  const { outputFiles } = await build({ ...common, format: 'esm', outdir: dist, entryPoints: [path] })
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`)
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
