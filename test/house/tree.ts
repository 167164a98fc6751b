import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Files } from './breach.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Every TypeScript file of the folders that are given, by its path from the root. */
export function readTree(...folders: string[]): Files {
  const exclude = ['**/node_modules/**']
  const paths = folders.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: ROOT, exclude })).sort()
  return new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]))
}
