import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import '../helpers/global-packages.ts'
import { needs } from '../helpers/needs.ts'

/**
 * The conformance suite and the inspector of MCP as their makers ship them, which are no dependencies of ours:
 * `installPackages` puts them into this folder.
 */
export const SUITE = programOf('@modelcontextprotocol/conformance/dist/index.js')
export const INSPECTOR = programOf('@modelcontextprotocol/inspector/clients/launcher/build/index.js')

export const NEEDS_OFFICIAL = needs(inject('missingPackages') || undefined)

function programOf(path: string): string {
  return fileURLToPath(new URL(`./node_modules/${path}`, import.meta.url))
}
