import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { ROOMS } from './rooms.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGE = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')

/** Paths of files and folders of `src/`, as the page writes them: without `src/`, and perhaps with a `*`. */
function pathsIn(text: string): readonly string[] {
  const rooms = [...new Set(Object.keys(ROOMS).map((room) => room.split('/')[0] ?? room))]
  const found = text.matchAll(new RegExp(`(?<![\\w/.-])(?:${rooms.join('|')})/[\\w./*-]*[\\w*/]`, 'g'))
  return [...new Set([...found].map(([path]) => path))]
}

function isThere(path: string): boolean {
  return globSync(join('src', path), { cwd: ROOT }).length > 0 || existsSync(join(ROOT, path))
}

it('ARCHITECTURE.md names only files and folders that exist', () => {
  expect(pathsIn(PAGE).length).toBeGreaterThan(60)
  expect(pathsIn(PAGE).filter((path) => !isThere(path))).toEqual([])
})

it('ARCHITECTURE.md has a row for every room', () => {
  const missing = Object.keys(ROOMS).filter((room) => !PAGE.includes(`\`${room.split('/')[0]}`))
  expect(missing).toEqual([])
})

it('finds a path that does not exist', () => {
  expect(pathsIn('see core/gates/gone.ts and `store/`').filter((path) => !isThere(path))).toEqual([
    'core/gates/gone.ts',
  ])
})
