// Starts programs from a process that is as small as Node can be, and therefore plain JavaScript: to fork a large one takes
// longer than a shell runs. Is sent { program, args, env, cwd, input }; answers with { ms } or { error }.
import { spawnSync } from 'node:child_process'
import { openSync } from 'node:fs'

const nowhere = openSync('/dev/null', 'w')

process.on('message', ({ program, args, env, cwd, input }) => {
  const startedAt = performance.now()
  const { status, stderr } = spawnSync(program, args, { env, input, cwd, stdio: ['pipe', nowhere, 'pipe'] })
  const ms = performance.now() - startedAt
  process.send(status === 0 ? { ms } : { error: `exit code ${status}: ${stderr.toString().trim()}` })
})
