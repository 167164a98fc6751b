// Decides what is loaded when: which programs there are, and which modules each of them holds. A module that is
// imported dynamically becomes a file of its own, loaded with the first call, unless a program names it here.
import { join, relative } from 'node:path'
import { rolldown } from 'rolldown'

/**
 * Files that share modules, so that a class exists once in a process. Each module is in the first of these files that
 * needs it, in this order. `often` runs thousands of times a day and holds what the usual push and drain need. `hook`
 * and `bus` hold what a hook and a bus entry need beyond that, and `buses` the code that opens the files of buses.
 * `rare` holds the store's shelves for upkeep, gates and the like and the end of a session, `shadows` what the hook of a
 * held session does beside its store, and `gates` the judgement of gates and what a held agent is shown of them. `base`
 * holds modules that many parts need, `main` the other commands, `rewake` the background watcher of a host, and `core`
 * the other verbs.
 */
const SHARED = {
  often: {
    entry: 'src/cli/entries/often.ts',
    inline: [
      'src/core/agents/list.ts',
      'src/core/registry/find.ts',
      'src/core/inbox/drain.ts',
      'src/core/offers/offers.ts',
      'src/core/inbox/push.ts',
      'src/core/sessions/sessions.ts',
      'src/core/upkeep/jobs.ts',
      // Both `hook` and `bus` need these, and neither should load the other.
      'src/core/gates/close.ts',
      'src/core/creation-budget.ts',
      'src/kit/node/native/flock.ts',
    ],
  },
  hook: {
    entry: 'src/cli/entries/hook.ts',
    inline: [
      'src/core/gates/gated.ts',
      'src/core/gates/standing.ts',
      'src/core/handoff/confirm.ts',
      'src/core/sessions/begin.ts',
      'src/core/sessions/note.ts',
      'src/core/sessions/mark-quiet.ts',
    ],
  },
  bus: {
    inline: [
      'src/cli/commands/bus/post.ts',
      'src/cli/commands/bus/read.ts',
      'src/core/bus/post.ts',
      'src/core/bus/read.ts',
    ],
  },
  buses: { inline: ['src/host/bus/bus-registry.ts'] },
  rare: {
    inline: [
      'src/store/sqlite/rare-shelves.ts',
      'src/core/sessions/end.ts',
      'src/core/sessions/gone-hosts.ts',
      'src/core/upkeep/reap.ts',
    ],
  },
  shadows: {
    inline: [
      'src/hooks/shadows.ts',
      'src/hooks/other-bypasses.ts',
      'src/hooks/pending.ts',
      'src/hooks/unavailable.ts',
      'src/hooks/refused.ts',
    ],
  },
  gates: { inline: ['src/core/gates/judge.ts', 'src/hooks/reasons.ts', 'src/core/gates/replaced.ts'] },
  base: { folders: ['src/model/', 'src/kit/pure/', 'src/kit/clock/'] },
  main: { entry: 'src/cli/entries/main.ts' },
  rewake: { entry: 'src/cli/commands/wake/rewake.ts' },
  core: { folders: ['src/core/'] },
}

/**
 * Files with their own copies of modules. A look runs before `often` and usually finds that there is nothing to do, so
 * it holds only what it uses. No object of a look is checked with `instanceof` elsewhere, so a second copy of a class
 * does no harm.
 */
const STANDALONE = {
  'drain-look': 'src/cli/entries/drain-look.ts',
  'hook-look': 'src/cli/entries/hook-look.ts',
  'log-thread': 'src/store/sqlite/log-thread.ts',
  'aside-thread': 'src/store/sqlite/aside-thread.ts',
  yaml: 'yaml',
}

/** The library: the files that other programs import. */
const LIBRARY = { index: 'src/index.ts', client: 'src/client/connect.ts' }

/** Bundles what the executables run, as CommonJS: the first `import` of an ES module makes Node load its other loader. */
export async function bundlePrograms(root) {
  const standalone = await Promise.all(
    Object.entries(STANDALONE).map(([name, entry]) =>
      bundle(
        root,
        { input: { [name]: inRoot(root, entry) }, external: EXTERNAL, plugins: [partsOnUse(root)] },
        { ...PROGRAM, codeSplitting: false },
      ),
    ),
  )
  const entries = Object.entries(SHARED).filter(([, { entry }]) => entry !== undefined)
  const shared = await bundle(
    root,
    {
      input: Object.fromEntries(entries.map(([name, { entry }]) => [name, inRoot(root, entry)])),
      external: EXTERNAL,
      preserveEntrySignatures: 'allow-extension',
      plugins: [yamlOnUse],
    },
    { ...PROGRAM, chunkFileNames: (chunk) => `${nameOf(root, chunk)}.cjs`, codeSplitting: { groups: groupsOf(root) } },
  )
  return [
    ...standalone.flat(),
    ...withRuntimeInside(shared, [
      'often.cjs',
      'hook.cjs',
      'bus.cjs',
      'buses.cjs',
      'rare.cjs',
      'shadows.cjs',
      'gates.cjs',
    ]),
  ]
}

export function bundleLibrary(root) {
  const input = Object.fromEntries(Object.entries(LIBRARY).map(([name, entry]) => [name, inRoot(root, entry)]))
  const external = (id) => id.startsWith('node:') || /^[@a-z]/.test(id)
  return bundle(
    root,
    { input, external },
    { format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
  )
}

/** Bundles one source file with its imports into text that any Node can run, even one that does not read TypeScript. */
export async function bundleText(root, entry) {
  const [{ code }] = await bundle(root, { input: inRoot(root, entry) }, { format: 'esm', codeSplitting: false })
  return code
}

const EXTERNAL = ['pg-native']

const PROGRAM = {
  format: 'cjs',
  exports: 'named',
  minify: true,
  dynamicImportInCjs: false,
  topLevelVar: true,
  entryFileNames: '[name].cjs',
}

async function bundle(root, input, output) {
  const builder = await rolldown({
    cwd: root,
    platform: 'node',
    // CommonJS has no `import.meta`. The sources use `__dirname` there.
    transform: {
      target: 'node22',
      ...(output.format === 'cjs' && {
        define: { 'import.meta.url': 'undefined', 'import.meta.dirname': 'undefined' },
      }),
    },
    treeshake: { moduleSideEffects: (id) => id.includes('node_modules'), propertyReadSideEffects: false },
    // Silences a warning: a verb that another verb imports statically does not become a file of its own.
    checks: { ineffectiveDynamicImport: false },
    logLevel: 'warn',
    ...input,
  })
  try {
    const { output: files } = await builder.generate({ dir: join(root, 'dist'), ...output })
    return files
  } finally {
    await builder.close()
  }
}

/** Loads the YAML parser on first use. Only unusual headers need it, which is rare. */
const yamlOnUse = {
  name: 'yaml-on-use',
  resolveId: (id) => (id === 'yaml' ? { id: './yaml.cjs', external: true } : undefined),
}

/** Makes a standalone file load a shared one where it imports its entry dynamically. */
function partsOnUse(root) {
  const names = new Map(Object.entries(SHARED).map(([name, { entry }]) => [entry && inRoot(root, entry), name]))
  return {
    name: 'parts-on-use',
    async resolveId(id, importer, { kind }) {
      if (kind !== 'dynamic-import') return undefined
      const { id: path } = (await this.resolve(id, importer, { skipSelf: true })) ?? {}
      return names.has(path) ? { id: `./${names.get(path)}.cjs`, external: true } : undefined
    },
  }
}

/**
 * Copies the helpers that rolldown shares between files into the frequent files, so that there is one file less to
 * load.
 */
function withRuntimeInside(files, names) {
  const runtime = files.find(({ fileName }) => fileName === 'rolldown-runtime.cjs')
  const inside = `(()=>{const exports={};${runtime.code}\nreturn exports})()`
  const load = `require("./${runtime.fileName}")`
  return files.map((file) =>
    names.includes(file.fileName) ? { ...file, code: file.code.replace(load, () => inside) } : file,
  )
}

function groupsOf(root) {
  return Object.entries(SHARED).map(([name, { entry, inline = [], folders = [] }], at) => {
    const held = new Set([entry, ...inline].filter(Boolean).map((path) => inRoot(root, path)))
    const isHeld = (id) => held.has(id) || folders.some((folder) => id.startsWith(join(root, folder)))
    return { name, test: isHeld, priority: 100 - at }
  })
}

/** A file is named by the path of its module, so that no two share a name. */
function nameOf(root, { name, facadeModuleId }) {
  if (!facadeModuleId) return name
  return relative(join(root, 'src'), facadeModuleId)
    .replace(/\.ts$/, '')
    .replaceAll(/[^\w-]+/g, '-')
}

function inRoot(root, path) {
  return path.startsWith('src/') ? join(root, path) : path
}
