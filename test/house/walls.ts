import { isBuiltin } from 'node:module'
import { type Breach, type Files, sourcesOf } from './breach.ts'
import { type Import, importsOf, resolveImport } from './imports.ts'
import { ALCOVES, alcoveOf, ROOMS, type Room, roomOf } from './rooms.ts'

const CORE = 'src/core/'

/**
 * Checks every import of every source file against the table of rooms, and within core against the order of its
 * alcoves.
 */
export function checkWalls(files: Files): Breach[] {
  return sourcesOf(files).flatMap(([file, text]) => {
    const name = roomOf(file.slice('src/'.length))
    const room = name === undefined ? undefined : ROOMS[name]
    if (name === undefined || room === undefined) {
      return [
        {
          file,
          line: 0,
          what: 'stands in no room',
          remedy: 'move it, or give the room its row in test/house/rooms.ts',
        },
      ]
    }
    const breaches = importsOf(text).flatMap((found) => {
      const breach = breachOf({ file, name, room }, found)
      return breach === undefined ? [] : [{ file, line: found.line, ...breach }]
    })
    return [...findStray(file), ...breaches]
  })
}

/** Finds a file of core that is in no alcove. */
function findStray(file: string): Breach[] {
  if (!file.startsWith(CORE) || ALCOVES.includes(alcoveOf(file.slice(CORE.length)))) return []
  const remedy = 'move it, or give it a place in the order of ALCOVES in test/house/rooms.ts'
  return [{ file, line: 0, what: 'stands in no alcove of core', remedy }]
}

interface Importer {
  readonly file: string
  readonly name: string
  readonly room: Room
}

type Finding = Pick<Breach, 'what' | 'remedy'>

function breachOf(importer: Importer, { specifier, isTypeOnly }: Import): Finding | undefined {
  const { file, name, room } = importer
  if (specifier === undefined) {
    return {
      what: `${name} imports what only running it can tell`,
      remedy: 'name the module, so that the walls can be checked',
    }
  }
  if (specifier.startsWith('.')) return roomBreach(importer, resolveImport(file, specifier), isTypeOnly)
  if (isBuiltin(specifier)) {
    return room.node ? undefined : { what: `${name} may not touch ${specifier}`, remedy: room.remedy }
  }
  const allowed = room.packages?.some((entry) => coversPackage(entry, specifier))
  return allowed ? undefined : { what: `${name} may not import the package ${specifier}`, remedy: room.remedy }
}

function roomBreach({ file, name, room }: Importer, target: string, isTypeOnly: boolean): Finding | undefined {
  if (!target.startsWith('src/'))
    return { what: `${name} reaches out of src/ to ${target}`, remedy: 'the package holds src/ only' }
  if (file.startsWith(CORE) && target.startsWith(CORE)) return alcoveBreach(file, target)
  const path = target.slice('src/'.length)
  if ([name, ...room.may].some((entry) => mayImport(name, entry, path))) return undefined
  if (room.mayAsTypes?.some((entry) => covers(entry, path))) {
    return isTypeOnly
      ? undefined
      : { what: `${name} may know ${path} only as a contract`, remedy: 'write "import type"' }
  }
  return { what: `${name} may not import ${path}`, remedy: room.remedy }
}

/** The order holds for types too: if an alcove imports another, that one must not import it back. */
function alcoveBreach(file: string, target: string): Finding | undefined {
  const [from, to] = [alcoveOf(file.slice(CORE.length)), alcoveOf(target.slice(CORE.length))]
  if (ALCOVES.indexOf(to) <= ALCOVES.indexOf(from)) return undefined
  return {
    what: `core/${from} may not import ${target.slice('src/'.length)}, which stands above it`,
    remedy: 'move what both need below both, or take it as an argument',
  }
}

/**
 * Whether an entry of the table lets a room import a path. An entry covers the rooms within it. But a room within the
 * entry, such as a driver, does not get to import its siblings.
 */
export function mayImport(name: string, entry: string, path: string): boolean {
  return covers(entry, path) && (!name.startsWith(`${entry}/`) || [entry, name].includes(roomOf(path) ?? ''))
}

export function covers(entry: string, path: string): boolean {
  return path === entry || path.startsWith(`${entry}/`)
}

export function coversPackage(entry: string, specifier: string): boolean {
  return entry.endsWith('/') ? specifier.startsWith(entry) : covers(entry, specifier)
}
