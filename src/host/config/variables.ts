/** The variables of settings without a group: where files are, who the caller is, and secrets that no file may hold. */
export const VARIABLES = {
  home: 'POSTERN_HOME',
  store: 'POSTERN_STORE',
  url: 'POSTERN_URL',
  token: 'POSTERN_TOKEN',
  nudgeToken: 'POSTERN_NUDGE_TOKEN',
  caller: 'POSTERN_AGENT',
  session: 'POSTERN_SESSION',
} as const

export type Environment = Readonly<Record<string, string | undefined>>

/** The value of a variable. An empty one counts as absent. */
export function readVariable(env: Environment, name: keyof typeof VARIABLES): string | undefined {
  return env[VARIABLES[name]] || undefined
}
