import { fileURLToPath } from 'node:url'
import { defineConfig, type ProxyOptions } from 'vite'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/**
 * Where a developer's own server listens and the token it is asked with; see web/README.md. The page itself never
 * holds a token: it signs in by a cookie.
 */
const { POSTERN_DEV_URL: target = 'http://127.0.0.1:4747', POSTERN_DEV_TOKEN: token } = process.env
const toServer: ProxyOptions = {
  target,
  changeOrigin: true,
  ...(token && { headers: { Authorization: `Bearer ${token}` } }),
  // A page of another origin is refused; this one stands in for the server's own.
  configure: (proxy) => proxy.on('proxyReq', (request) => request.removeHeader('origin')),
}

// biome-ignore lint/style/noDefaultExport: Vite reads the default export
export default defineConfig({
  root: here('.'),
  base: '/ui/',
  clearScreen: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: here('../dist/web'),
    emptyOutDir: true,
    target: 'es2024',
    // The policy of the page allows no data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Loading a part of the model does nothing by itself, so what is not used of it, as the table of errors, is left out.
    rolldownOptions: { treeshake: { moduleSideEffects: (id) => !/\/src\/(?:model|kit|client|operations)\//.test(id) } },
  },
  server: {
    host: '127.0.0.1',
    strictPort: true,
    proxy: Object.fromEntries(['/api', '/metrics', '/healthz', '/readyz', '/version'].map((path) => [path, toServer])),
  },
})
