import { CLIENTS, type ClientName, installClients } from '../hosts/clients.ts'
import { describeProgram, installPrograms, PREPARED, PROGRAMS, type ProgramName } from './binaries.ts'
import { installPackages, PACKAGE_FOLDERS, type PackageFolder, reasonOfNpm } from './packages.ts'

/**
 * Installs all programs and packages that the tests need and this machine lacks. Returns what could not be had, in
 * words. The tests that run afterwards do not try again.
 */
export async function prepareMachine(): Promise<readonly string[]> {
  const programs = installPrograms(Object.keys(PROGRAMS).filter(isWanted)).map(describeProgram)
  const packages = await Promise.all(Object.keys(PACKAGE_FOLDERS).map((folder) => tryPackages(folder as PackageFolder)))
  const clients = await attempt('the real clients', () => installClients(Object.keys(CLIENTS) as ClientName[]))
  process.env[PREPARED] = '1'
  return [...programs, ...packages.flat(), ...clients]
}

/** A person may have named another Chromium. */
function isWanted(name: string): name is ProgramName {
  return !name.startsWith('chromium') || !process.env['POSTERN_CHROMIUM']
}

const tryPackages = (folder: PackageFolder) => attempt(`the packages of ${folder}`, () => installPackages(folder))

async function attempt(what: string, install: () => Promise<unknown>): Promise<readonly string[]> {
  try {
    await install()
    return []
  } catch (error) {
    return [`${what}, which npm could not install: ${reasonOfNpm(error)}`]
  }
}
