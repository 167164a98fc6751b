// Builds what is shipped: the two executables' bundles, the library, and its types.
// Plain JavaScript, because it runs while the project is being installed.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')

/** Parts that are loaded on use stay files of their own beside the bundle that asks for them. */
const onUse = {
  name: 'on-use',
  setup(plugin) {
    plugin.onResolve({ filter: /\/remote\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './remote.cjs', external: true } : undefined,
    )
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
}

const executables = {
  ...common,
  format: 'cjs',
  outdir: dist,
  outExtension: { '.js': '.cjs' },
  external: ['pg-native'],
  plugins: [onUse],
  entryPoints: {
    peek: 'src/cli/peek.ts',
    hot: 'src/cli/hot.ts',
    main: 'src/cli/main.ts',
    remote: 'src/host/remote.ts',
  },
}

const library = {
  ...common,
  minify: false,
  format: 'esm',
  splitting: true,
  outdir: dist,
  packages: 'external',
  entryPoints: { index: 'src/index.ts' },
}

const bundles = await build(executables)
const exported = await build(library)

// Nothing of an earlier build is touched before this one has succeeded.
rmSync(dist, { recursive: true, force: true })
mkdirSync(dist, { recursive: true })
for (const { path, contents } of [...bundles.outputFiles, ...exported.outputFiles]) writeFileSync(path, contents)
// The test of the bundles' contents reads this.
writeFileSync(join(dist, 'bundles.json'), JSON.stringify(bundles.metafile))
if (!process.argv.includes('--no-types')) {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' })
}
