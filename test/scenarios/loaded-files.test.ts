import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EXECUTABLE } from '../helpers/command.ts'
import { PATIENT_HOOK } from '../helpers/patience.ts'
import { temporaryFolder } from '../helpers/temp.ts'

/** Writes the bundles that a program has loaded to stderr, as it ends, and gives it the time that the test tells. */
const REPORT = `const now = Number(process.env.TEST_NOW)
Date.now = () => now
process.on('exit', () => {
  const files = Object.keys(require.cache).flatMap((file) => /dist\\/(.*)\\.cjs$/.exec(file)?.[1] ?? [])
  require('node:fs').writeSync(2, 'loaded ' + files.join(' ') + '\\n')
})`

/** A home with quinn. Runs a program in it, and says which bundles it loaded. */
function makeHome() {
  const home = temporaryFolder()
  const report = join(home, 'report.cjs')
  writeFileSync(report, REPORT)
  let now = Date.now()
  const run = (args: readonly string[], input = '') => {
    // Upkeep is due again after ten seconds and loads more. A busy machine takes that long for a few programs.
    now += 100
    const env = {
      PATH: '/usr/bin:/bin',
      HOME: home,
      XDG_RUNTIME_DIR: home,
      POSTERN_HOME: home,
      POSTERN_BUS_ROOT: join(home, 'buses'),
      TEST_NOW: `${now}`,
    }
    const words = ['--require', PATIENT_HOOK, '--require', report, EXECUTABLE, ...args]
    const { status, stderr } = spawnSync(process.execPath, words, { cwd: home, env, input, encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, expect.stringContaining('loaded ')])
    return /loaded (.*)/.exec(stderr)?.[1]?.split(' ').toSorted() ?? []
  }
  run(['agent', 'add', 'quinn'])
  // Upkeep that is due loads more, so what it does is done first.
  run(['inbox', 'push', '--to', 'quinn', 'hello'])
  const wait = (ms = 5_000) => {
    now += ms
  }
  return { push: () => run(['inbox', 'push', '--to', 'quinn', 'hello']), run, wait }
}

describe('a program that runs thousands of times a day', () => {
  it('loads one file for a push, and one beside its look for a drain', () => {
    const { push, run } = makeHome()
    expect(push()).toEqual(['often'])
    expect(run(['inbox', 'drain', '--agent', 'quinn'])).toEqual(['drain-look', 'often'])
    expect(run(['inbox', 'drain', '--agent', 'quinn'])).toEqual(['drain-look'])
  })

  it('loads three files for a hook, and one where nothing waits', () => {
    const { push, run, wait } = makeHome()
    const hook = (event: string) =>
      run(
        ['hook', '--host', 'claude-code', '--agent', 'quinn'],
        JSON.stringify({ hook_event_name: event, session_id: 's1' }),
      )
    for (const event of ['SessionStart', 'UserPromptSubmit', 'Stop']) {
      push()
      // An event confirms what was printed before it began. An open offer of a host that may be gone loads more.
      wait(2_900)
      expect(hook(event), event).toEqual(['hook', 'hook-look', 'often'])
    }
    // A stop is counted from the start of its process, so one that comes at once looks like the stop before it.
    wait()
    hook('Stop')
    expect(hook('UserPromptSubmit')).toEqual(['hook-look'])
  })

  it('loads four files more for a hook that a gate holds: it marks that it has begun', () => {
    const { run } = makeHome()
    run(['gate', 'create', '--agent', 'quinn', '--kind', 'human', 'Justin must look first'])
    const stop = JSON.stringify({ hook_event_name: 'Stop', session_id: 's1' })
    const held = () => run(['hook', '--host', 'claude-code', '--agent', 'quinn'], stop)
    for (let time = 0; time < 2; time++) {
      expect(held()).toEqual(['bus', 'gates', 'hook', 'hook-look', 'often', 'rare', 'shadows'])
    }
  })

  it('loads three files for an entry of a bus', () => {
    const { run } = makeHome()
    const place = ['--project', 'p', '--task', 't']
    run(['bus', 'post', ...place, 'hello'])
    expect(run(['bus', 'post', ...place, 'hello'])).toEqual(['bus', 'buses', 'often'])
    expect(run(['bus', 'read', ...place, '--tail', '1'])).toEqual(['bus', 'buses', 'often'])
  })
})
