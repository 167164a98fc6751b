import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { readFaults } from '../../host/hook-log.ts'

/** A hook whose second file is missing, as during an update of Postern. */
const BROKEN = `
  const { runHook } = await import(${JSON.stringify(new URL('./hook-look.ts', import.meta.url).href)})
  await runHook(process.argv.slice(1), () => { throw new Error('dist/hook.cjs is gone') })`

it('logs why it could not answer, prints nothing and exits with 0', () => {
  const home = temporaryFolder()
  const ran = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', BROKEN, 'hook', '--host', 'claude-code', '--agent', 'quinn'],
    { cwd: home, env: { PATH: '/usr/bin:/bin', HOME: home, POSTERN_HOME: home }, input: '{}', encoding: 'utf8' },
  )
  expect(ran).toMatchObject({ status: 0, stdout: '', stderr: '' })
  expect(readFaults(home, 9)).toEqual([expect.objectContaining({ fault: 'dist/hook.cjs is gone' })])
})
