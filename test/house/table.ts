import { isBuiltin } from 'node:module'
import { type Breach, type Files, sourcesOf } from './breach.ts'
import { importsOf, resolveImport } from './imports.ts'
import { type Permission, permissionsUsedIn } from './purity.ts'
import { ALCOVES, alcoveOf, ROOMS, type Room, roomOf } from './rooms.ts'
import { covers, coversPackage } from './walls.ts'

type Table = Readonly<Record<string, Room>>

const CORE = 'src/core/'
const TABLE_FILE = 'test/house/rooms.ts'
const PERMISSIONS: readonly Permission[] = ['clock', 'env', 'node', 'sql']

/**
 * Finds permissions that no source file uses, and alcoves without files. An unused permission would hide a later
 * mistake.
 */
export function checkUnused(files: Files, rooms: Table = ROOMS, alcoves: readonly string[] = ALCOVES): Breach[] {
  const sources = sourcesOf(files).map(([file, text]) => ({
    file,
    text,
    room: roomOf(file.slice('src/'.length), rooms),
  }))
  const unused = Object.entries(rooms).flatMap(([name, room]) => {
    const own = sources.filter((source) => source.room === name)
    return unusedBy(room, usesOf(own)).map((permission) => `${name} may ${permission}, but never does`)
  })
  const known = new Set(
    sources.flatMap(({ file }) => (file.startsWith(CORE) ? [alcoveOf(file.slice(CORE.length))] : [])),
  )
  const empty = alcoves.filter((alcove) => !known.has(alcove)).map((alcove) => `core/${alcove} is an alcove, but empty`)
  return [...unused, ...empty].map((what) => ({ file: TABLE_FILE, line: 0, what, remedy: 'remove it from the table' }))
}

interface Uses {
  /** Paths within `src/`. */
  readonly paths: readonly string[]
  readonly packages: readonly string[]
  readonly permissions: ReadonlySet<Permission>
}

function usesOf(sources: readonly { readonly file: string; readonly text: string }[]): Uses {
  const imports = sources.flatMap(({ file, text }) => importsOf(text).map((found) => ({ file, ...found })))
  const named = imports.flatMap(({ file, specifier }) => (specifier === undefined ? [] : [{ file, specifier }]))
  const relative = named.filter(({ specifier }) => specifier.startsWith('.'))
  const others = named.map(({ specifier }) => specifier).filter((specifier) => !specifier.startsWith('.'))
  const permissions = new Set(sources.flatMap(({ text }) => permissionsUsedIn(text)))
  return {
    paths: relative.map(({ file, specifier }) => resolveImport(file, specifier).replace(/^src\//, '')),
    packages: others.filter((specifier) => !isBuiltin(specifier)),
    permissions: others.some((specifier) => isBuiltin(specifier)) ? permissions.add('node') : permissions,
  }
}

function unusedBy(room: Room, { paths, packages, permissions }: Uses): readonly string[] {
  const { may, mayAsTypes = [] } = room
  return [
    ...may.filter((entry) => !paths.some((path) => covers(entry, path))).map((entry) => `import ${entry}`),
    ...mayAsTypes.filter((entry) => !paths.some((path) => covers(entry, path))).map((entry) => `know ${entry}`),
    ...(room.packages ?? [])
      .filter((entry) => !packages.some((specifier) => coversPackage(entry, specifier)))
      .map((entry) => `import the package ${entry}`),
    ...PERMISSIONS.filter((name) => room[name] && !permissions.has(name)).map((name) => `use ${name}`),
  ]
}

/** The first cycle in the table, over code or types, as a path of rooms; undefined if there is none. */
export function findCycle(rooms: Table = ROOMS): readonly string[] | undefined {
  const done = new Set<string>()
  const visit = (name: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name]
    if (done.has(name)) return undefined
    for (const next of nextRooms(name, rooms)) {
      const cycle = visit(next, [...path, name])
      if (cycle) return cycle
    }
    done.add(name)
    return undefined
  }
  for (const name of Object.keys(rooms)) {
    const cycle = visit(name, [])
    if (cycle) return cycle
  }
  return undefined
}

/** The rooms that a room may import, and the rooms within those. A room and the rooms within it count as one. */
function nextRooms(name: string, rooms: Table): readonly string[] {
  const { may = [], mayAsTypes = [] } = rooms[name] ?? {}
  const isApart = (other: string) => !covers(other, name) && !covers(name, other)
  return [...may, ...mayAsTypes].filter(isApart).flatMap((entry) => {
    const within = Object.keys(rooms).filter((other) => covers(entry, other))
    return within.length > 0 ? within : [roomOf(entry, rooms) ?? entry]
  })
}
