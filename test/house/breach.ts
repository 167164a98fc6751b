/** Paths from the root of the repository, such as `src/core/inbox/push.ts`, and what the files hold. */
export type Files = ReadonlyMap<string, string>

export interface Breach {
  readonly file: string
  /** 0 where it concerns the whole file. */
  readonly line: number
  readonly what: string
  readonly remedy: string
}

export type Check = (files: Files) => Breach[]

export function isTest(path: string): boolean {
  return path.endsWith('.test.ts')
}

/** Source files are those that end up in the package: tests beside them may reach wherever they need to. */
export function sourcesOf(files: Files): [string, string][] {
  return [...files].filter(([path]) => path.startsWith('src/') && !isTest(path))
}

export function formatBreaches(breaches: readonly Breach[]): string {
  return breaches
    .map(({ file, line, what, remedy }) => `${file}${line > 0 ? `:${line}` : ''}  ${what}; ${remedy}`)
    .join('\n')
}
