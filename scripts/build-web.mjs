// Builds the page into a folder, with what browsers take in fewer bytes beside each file.
// Plain JavaScript, because it runs while the project is being installed.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** Pictures and fonts are compressed as they are. */
const COMPRESSED = ['.html', '.js', '.css', '.svg', '.json', '.webmanifest', '.txt']
/** Below this a second file saves nothing. */
const LEAST_BYTES = 500

/** False where there is no page to be built. Whatever breaks is thrown. */
export async function buildWeb(root, outDir) {
  const source = join(root, 'web')
  if (!existsSync(join(source, 'index.html'))) return false
  const { build } = await import('vite')
  rmSync(outDir, { recursive: true, force: true })
  await build({
    root: source,
    base: '/ui/',
    logLevel: 'warn',
    build: {
      outDir,
      emptyOutDir: true,
      // The page may hold no data: URLs, and the server says which parts of it are hashed by their folder.
      assetsDir: 'assets',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  })
  for (const entry of readdirSync(outDir, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) compress(join(entry.parentPath, entry.name))
  return true
}

function compress(path) {
  if (!COMPRESSED.includes(extname(path))) return
  const bytes = readFileSync(path)
  if (bytes.length < LEAST_BYTES) return
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }))
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
}
