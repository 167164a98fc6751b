import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The executable without its bundles: it runs the modules of `src/` as they are, and writes to `trace.json` of its home
 * which functions of which files ran. It chooses a program as `bin/postern.cjs` does.
 */
const SOURCES = new URL('../../src/', import.meta.url).href
const argv = process.argv.slice(2)

traceInto(join(process.env['POSTERN_HOME'] ?? '', 'trace.json'))
process.exitCode = argv[0] === 'hook' ? await runHookFromSource() : await runCommandLine()

async function runHookFromSource(): Promise<number | undefined> {
  const { runHook } = await import('../../src/cli/entries/hook-look.ts')
  const { answerEvent } = await import('../../src/cli/entries/hook.ts')
  return runHook(argv, () => answerEvent)
}

async function runCommandLine(): Promise<number> {
  const { runOften } = await import('../../src/cli/entries/often.ts')
  const { runMain } = await import('../../src/cli/entries/main.ts')
  return (await runOften(argv)) ?? runMain(argv)
}

function traceInto(path: string): void {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  process.on('exit', () => {
    session.post('Profiler.takePreciseCoverage', (error, coverage) => {
      if (error) throw error
      const files = coverage.result.filter(({ url }) => url.startsWith(SOURCES))
      const trace = files.map(({ url, functions }) => ({
        file: `src/${fileURLToPath(url).slice(fileURLToPath(SOURCES).length)}`,
        functions: functions
          .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
          .map(({ functionName }) => functionName),
      }))
      writeFileSync(path, JSON.stringify(trace))
    })
  })
}
