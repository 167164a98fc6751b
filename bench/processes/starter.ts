import { spawnSync } from 'node:child_process'
import { openSync } from 'node:fs'

/** What to start; the answer is how long it took, in milliseconds. */
export interface Start {
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly input: string
}

export type Started = { readonly ms: number } | { readonly error: string }

const nowhere = openSync('/dev/null', 'w')

/** Starts programs from a process that is as small as Node can be: to fork a large one takes longer than a shell runs. */
process.on('message', ({ program, args, env, cwd, input }: Start) => {
  const startedAt = performance.now()
  const { status, stderr } = spawnSync(program, args, { env, input, cwd, stdio: ['pipe', nowhere, 'pipe'] })
  const ms = performance.now() - startedAt
  const answer: Started = status === 0 ? { ms } : { error: `exit code ${status}: ${stderr.toString().trim()}` }
  process.send?.(answer)
})
