import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { canDo } from '../faults/harness/need.ts'

/**
 * The conformance suite and the inspector of MCP as their makers ship them, which are no dependencies of ours:
 * `npm ci --prefix test/mcp --ignore-scripts` puts them into this folder. Where they are missing their tests are skipped
 * and say so, except in CI.
 */
export const SUITE = programOf('@modelcontextprotocol/conformance/dist/index.js')
export const INSPECTOR = programOf('@modelcontextprotocol/inspector/clients/launcher/build/index.js')

export const hasOfficial = canDo('run the official tools of MCP', () => {
  for (const program of [SUITE, INSPECTOR])
    if (!existsSync(program)) throw new Error('run "npm ci --prefix test/mcp --ignore-scripts" first')
})

function programOf(path: string): string {
  return fileURLToPath(new URL(`./node_modules/${path}`, import.meta.url))
}
