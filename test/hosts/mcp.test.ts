import { expect, test } from 'vitest'
import type { Decision } from '../../src/model/decision.ts'
import type { Gate } from '../../src/model/gate.ts'
import { CORE_TOOLS } from '../../src/operations/tools/table.ts'
import { PATIENTLY } from '../helpers/patience.ts'
import { FULL } from '../helpers/tier.ts'
import type { Reply } from './dialects.ts'
import { occurrences } from './model.ts'
import { CLAUDE, CODEX, DRIVERS, describeReal, makeScene, repeatedBy, type Scene } from './scene.ts'
import { killClient, withTools } from './tool-hosts.ts'

const MARK = 'mark-of-the-message'
const LAST_MARK = 'mark-of-the-last'
const FENCED = /┌── postern inbox · quinn · 1 message[\s\S]*^│ mark-of-the-\w+$[\s\S]*^└── end of postern inbox/m
const CORE_NAMES = CORE_TOOLS.map(({ name }) => name).sort()
const done = { text: 'done' }

/** Nothing of Postern is installed but the tools. */
const noHooks = async () => {}

/** Notes how far a message has come when the model is asked, and answers. */
function noting(scene: Scene, states: string[], id: () => string, reply: Reply) {
  return async () => {
    states.push((await scene.receipt(id())).state)
    return reply
  }
}

const evidenceOf = async (scene: Scene, id: string) =>
  (await scene.receipt(id)).steps.map(({ step, evidence }) => [step, evidence])

describeReal.each(DRIVERS)('with the tools in $host', (driver) => {
  test(
    'the model is told of them and calls them, and what it saw is seen with its next call or the end',
    driver.host === 'gemini' ? FULL : {},
    async () => {
      const host = withTools(driver)
      const scene = await makeScene(host, noHooks)
      await scene.ask('agent', 'add', 'mindy')
      const first = await scene.push(MARK, 2)
      const states: string[] = []
      const lastStates: string[] = []
      let last = ''
      const send = (to_agent: string) =>
        host.callTool('send_message', { to_agent, message_type: 'fyi', subject: 'A word', payload: 'word-for-mindy' })
      const ask = { question: 'Which store?', options: [{ key: 'a', label: 'A' }], ask: ['justin'] }
      const { requests } = await scene.run({
        // Not every client waits until its server has ended.
        leavesOthers: true,
        steps: [
          noting(scene, states, () => first, {
            calls: [host.callTool('inbox_check'), ...host.lookUp('decision_create')],
          }),
          noting(scene, states, () => first, { calls: [send('mindy'), send('nobody-at-all')] }),
          noting(scene, states, () => first, { calls: [host.callTool('decision_create', ask)] }),
          async () => {
            last = await scene.push(LAST_MARK, 2)
            return { calls: [host.callTool('inbox_check')] }
          },
          noting(scene, lastStates, () => last, done),
        ],
      })

      expect(host.told(requests[0])).toEqual(CORE_NAMES)
      expect(requests.map((request) => occurrences(request, MARK))).toEqual([0, 1, 1, 1, 1])
      expect(requests.map((request) => occurrences(request, LAST_MARK))).toEqual([0, 0, 0, 0, 1])
      expect(host.textIn(host.handed(requests[1])[0])).toMatch(FENCED)
      expect(host.handed(requests[2]).filter((handed) => handed.includes('[AGENT_NOT_FOUND]'))).toHaveLength(1)

      expect(states).toEqual(['pending', 'offered', 'seen'])
      expect((await evidenceOf(scene, first)).at(-1)).toEqual(['seen', 'the agent called send_message'])
      expect(lastStates).toEqual(['offered'])
      const ended = 'the client ended the connection in good order'
      await expect.poll(async () => (await evidenceOf(scene, last)).at(-1), PATIENTLY).toEqual(['seen', ended])

      const sent = { from: { id: 'quinn', kind: 'ai', via: 'mcp' }, content: 'word-for-mindy' }
      expect(await scene.mailOf('mindy')).toMatchObject([sent])
      const { items: decisions } = await scene.ask<{ items: readonly Decision[] }>('decision', 'list')
      expect(decisions).toMatchObject([{ agent: 'quinn', asked: ['justin'], state: 'open' }])
      const { items: gates } = await scene.ask<{ items: readonly Gate[] }>('gate', 'list', '--agent', 'quinn')
      expect(gates).toMatchObject([{ id: decisions[0]?.gateId, state: 'open', awaits: decisions[0]?.id }])
    },
  )
})

describeReal.each([...CLAUDE, ...CODEX])('with the tools in $host', (driver) => {
  test('what a client was shown that is killed before its next call is shown again', repeatedBy(driver), async () => {
    const host = withTools(driver)
    const scene = await makeScene(host, noHooks)
    const id = await scene.push(MARK, 2)
    const states: string[] = []
    const killed = scene.run({
      leavesOthers: true,
      steps: [
        { calls: [host.callTool('inbox_check')] },
        async (request) => {
          states.push(host.textIn(host.handed(request)[0]), (await scene.receipt(id)).state)
          killClient(scene.home)
          return done
        },
      ],
    })
    await expect(killed).rejects.toThrow('exited with')
    expect(states).toEqual([expect.stringMatching(FENCED), 'offered'])
    await scene.ask('inbox', 'wait', '--agent', 'quinn')
    expect((await evidenceOf(scene, id)).at(-1)).toEqual(['released', expect.stringContaining('the client is gone')])

    const { requests } = await scene.run({ steps: [{ calls: [host.callTool('inbox_check')] }, done] })
    expect(host.textIn(host.handed(requests[1])[0])).toMatch(FENCED)
    // The tools end a moment after their client, which does not wait for them.
    await expect.poll(() => scene.receipt(id), PATIENTLY).toMatchObject({ state: 'seen', attempt: 2 })
  })
})

describeReal.each(CLAUDE)('with hooks and tools in $host', (driver) => {
  test('what the one has shown the other does not show again', async () => {
    const host = withTools(driver)
    const scene = await makeScene(host)
    const byTool: string[] = []
    const marks: Record<string, string> = {}
    const { requests } = await scene.run({
      steps: [
        async () => {
          marks['hook'] = await scene.push(MARK, 1)
          return { calls: [driver.callShell('true')] }
        },
        async () => {
          marks['tool'] = await scene.push(LAST_MARK, 2)
          return { calls: [host.callTool('inbox_check')] }
        },
        noting(scene, byTool, () => marks['tool'] ?? '', { calls: [host.callTool('inbox_check')] }),
        noting(scene, byTool, () => marks['tool'] ?? '', done),
      ],
    })
    expect(requests.map((request) => occurrences(request, MARK))).toEqual([0, 1, 1, 1])
    expect(requests.map((request) => occurrences(request, LAST_MARK))).toEqual([0, 0, 1, 1])
    expect(host.textIn(host.handed(requests[3]).at(-1))).toBe('No messages.')
    // Neither the end of the tool nor the beginning of the next confirms: the model is asked only after all of them.
    expect(byTool).toEqual(['offered', 'seen'])
    const evidence = (await evidenceOf(scene, marks['tool'] ?? '')).at(-1)
    expect(evidence).toEqual(['seen', 'the agent called inbox_check'])
  })
})
