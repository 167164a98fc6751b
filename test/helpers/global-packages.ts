import type { TestProject } from 'vitest/node'
import { installPackages, type PackageFolder, reasonOfNpm } from './packages.ts'

/** A `globalSetup` of vitest: installs the packages of the folder that has the name of the project. */
declare module 'vitest' {
  interface ProvidedContext {
    /** What is missing, in words. Empty where the packages are there. */
    missingPackages: string
  }
}

export async function setup(project: TestProject): Promise<void> {
  project.provide('missingPackages', await tryToInstall(`test/${project.name}` as PackageFolder))
}

async function tryToInstall(folder: PackageFolder): Promise<string> {
  try {
    await installPackages(folder)
    return ''
  } catch (error) {
    const missing = `the packages of ${folder}, which npm could not install: ${reasonOfNpm(error)}`
    if (process.env['CI'] === 'true') throw new Error(`The tests need ${missing}`, { cause: error })
    return missing
  }
}
