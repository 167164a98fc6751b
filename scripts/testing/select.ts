import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const PATTERNS = ['src/**/*.test.ts', 'web/**/*.test.ts', 'test/**/*.test.ts']

/** Every test file of the repository, by its path from the root. */
export function listTestFiles(root: string): readonly string[] {
  return globSync(PATTERNS, { cwd: root, exclude: ['**/node_modules/**'] }).sort()
}

/**
 * The test files of all layers that concern a subject: files with the word in their path or in the title of a suite. So
 * `npm test -- gates` runs the unit, conformance, scenario and fault tests of gates.
 */
export function selectBySubject(root: string, words: readonly string[]): readonly string[] {
  const wanted = words.map((word) => word.toLowerCase())
  return listTestFiles(root).filter((file) => {
    const text = [file, ...titlesIn(readFileSync(join(root, file), 'utf8'))].join('\n').toLowerCase()
    return wanted.some((word) => text.includes(word))
  })
}

function titlesIn(source: string): readonly string[] {
  return [...source.matchAll(/\b(?:describe\w*|conformance)\b[^\n]*?\(\s*(['"`])(.*?)\1/g)].map(
    ([, , title = '']) => title,
  )
}

/** Files with campaigns, or with tests that only the long tier runs. */
export function listCampaignFiles(root: string): readonly string[] {
  return listTestFiles(root).filter((file) =>
    /^\s*campaign\(|tags: \['long'/m.test(readFileSync(join(root, file), 'utf8')),
  )
}
