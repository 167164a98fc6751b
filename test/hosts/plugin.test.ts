import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, inject, test } from 'vitest'
import type { DeliveryTrace } from '../../src/model/receipt.ts'
import { CORE_TOOLS } from '../../src/operations/tools/table.ts'
import { FULL } from '../helpers/tier.ts'
import type { Driver } from './driver.ts'
import { openLoopback } from './loopback.ts'
import { occurrences } from './model.ts'
import { makePlace, runProgram } from './place.ts'
import { runClient } from './run.ts'
import { CLAUDE, describeReal } from './scene.ts'
import { speechOfClaude } from './tool-hosts.ts'

const PLUGIN = join(dirname(inject('executable')), '..', 'dist', 'plugin', 'claude-code')
const MARK = 'mark-of-the-message'
const work = (driver: Driver) => ({ calls: [driver.callShell('true')] })

describeReal.each(CLAUDE)('the plugin in $host', (driver) => {
  test('is valid', async () => {
    const { home, env } = await makePlace()
    const { enter } = await openLoopback()
    const words = [...enter, driver.program, 'plugin', 'validate', '--strict', PLUGIN]
    const outcome = await runProgram(words, { cwd: home, env: { ...env, ...driver.env('http://127.0.0.1:9') } })
    expect(outcome).toMatchObject({ exit: 0 })
  })

  for (const hasLauncher of [true, false]) {
    const how = hasLauncher ? 'with the launcher' : 'without the launcher'

    test(`shows mail for the agent that was set, ${how}`, hasLauncher ? {} : FULL, async () => {
      const { place, plugged, env } = await plug(driver, hasLauncher)
      const { id } = await place.ask<{ id: string }>('inbox', 'push', '--to', 'quinn', '--priority', '2', MARK)
      const { requests } = await runClient(plugged, place, { steps: [work(driver), { text: 'done' }], env })
      expect(requests.map((request) => occurrences(request, MARK))).toEqual([1, 1])
      const { deliveries } = await place.ask<{ deliveries: DeliveryTrace[] }>('trace', id)
      expect(deliveries[0]).toMatchObject({ state: 'seen', attempt: 1 })
    })

    test(`offers the tools to the agent that was set, ${how}`, hasLauncher ? FULL : {}, async () => {
      const tools = speechOfClaude('mcp__plugin_postern_postern__')
      const { place, plugged, env } = await plug(driver, hasLauncher)
      const push = async () => {
        await place.ask('inbox', 'push', '--to', 'quinn', '--priority', '3', MARK)
        return { calls: [tools.callTool('inbox_check')] }
      }
      const { requests } = await runClient(plugged, place, { steps: [push, { text: 'done' }], env })
      expect(tools.told(requests[0])).toEqual(CORE_TOOLS.map(({ name }) => name).sort())
      expect(requests.map((request) => occurrences(request, MARK))).toEqual([0, 1])
      expect(tools.textIn(tools.handed(requests[1])[0])).toContain(`│ ${MARK}`)
      const { items } = await place.ask<{ items: unknown[] }>('inbox', 'list', '--agent', 'quinn', '--all')
      expect(items).toMatchObject([{ state: 'seen', attempt: 1 }])
    })
  }
})

/** A place in which Claude Code has the plugin and nothing else of Postern's. */
async function plug(driver: Driver, hasLauncher: boolean) {
  const place = await makePlace()
  await place.ask(...(hasLauncher ? ['init', '--host', 'generic', '--agent', 'quinn'] : ['agent', 'add', 'quinn']))
  const plugged: Driver = {
    ...driver,
    prepare(where, modelUrl) {
      driver.prepare(where, modelUrl)
      const settings = { pluginConfigs: { 'postern@inline': { options: { agent: 'quinn' } } } }
      writeFileSync(join(where.home, '.claude', 'settings.json'), JSON.stringify(settings))
    },
    promptArgs: (...args) => [
      ...['--plugin-dir', PLUGIN, '--allowedTools', 'mcp__plugin_postern_postern'],
      ...driver.promptArgs(...args),
    ],
  }
  const bin = join(place.home, 'bin')
  mkdirSync(bin)
  const program = `#!/bin/sh\nexec '${process.execPath}' '${inject('executable')}' "$@"\n`
  if (!hasLauncher) writeFileSync(join(bin, 'postern'), program, { mode: 0o755 })
  return { place, plugged, env: { PATH: `${bin}:${place.env['PATH']}` } }
}
