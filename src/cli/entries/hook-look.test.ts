import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { readFaults } from '../../host/hook-log.ts'

/** A hook whose second part is gone, as while Postern is being renewed. */
const BROKEN = `
  const { runHook } = await import(${JSON.stringify(new URL('./hook-look.ts', import.meta.url).href)})
  await runHook(process.argv.slice(1), () => { throw new Error('dist/hook.cjs is gone') })`

it('says what kept it from answering, and disturbs nobody', () => {
  const home = temporaryFolder()
  const ran = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', BROKEN, 'hook', '--host', 'claude-code', '--agent', 'quinn'],
    { cwd: home, env: { PATH: '/usr/bin:/bin', HOME: home, POSTERN_HOME: home }, input: '{}', encoding: 'utf8' },
  )
  expect(ran).toMatchObject({ status: 0, stdout: '', stderr: '' })
  expect(readFaults(home, 9)).toEqual([expect.objectContaining({ fault: 'dist/hook.cjs is gone' })])
})
