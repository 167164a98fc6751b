import { expect, test } from 'vitest'
import { TOOL_SETS } from '../../src/operations/tools/table.ts'
import { occurrences } from './model.ts'
import { CLAUDE, describeReal, makeScene } from './scene.ts'
import { serve } from './served.ts'
import { withTools } from './tool-hosts.ts'

const MARK = 'mark-of-the-message'
const NAMES = TOOL_SETS.core.map(({ name }) => name).sort()

describeReal.each(CLAUDE)('with the tools of a server in $host', (driver) => {
  test('the model is told of them and calls them as the agent of its token', async () => {
    // Where the server is will be known when it runs.
    const entry = { url: '', token: '' }
    const host = withTools(driver, entry)
    const scene = await makeScene(host, async (place) => {
      await place.ask('agent', 'add', 'mindy')
      entry.url = `${(await serve(place)).url}/mcp`
      entry.token = (await place.ask<{ token: string }>('token', 'create', '--scope', 'agent:quinn')).token
    })
    const id = await scene.push(MARK, 2)
    const states: string[] = []
    const look = async () => void states.push((await scene.receipt(id)).state)
    const ask = { question: 'Which store?', options: [{ key: 'a', label: 'A' }], ask: ['justin'] }
    const word = { to_agent: 'mindy', message_type: 'fyi', subject: 'A word', payload: 'word-for-mindy' }
    const { requests } = await scene.run({
      steps: [
        { calls: [host.callTool('inbox_check'), ...host.lookUp('decision_create')] },
        async () => {
          await look()
          return { calls: [host.callTool('send_message', word)] }
        },
        async () => {
          await look()
          return { calls: [host.callTool('decision_create', ask)] }
        },
        { text: 'done' },
      ],
    })
    expect(host.told(requests[0])).toEqual(NAMES)
    expect(requests.map((request) => occurrences(request, MARK))).toEqual([0, 1, 1, 1])
    expect(host.textIn(host.handed(requests[1])[0])).toMatch(/^┌── postern inbox[\s\S]*^│ mark-of-the-message$/m)
    expect(states).toEqual(['offered', 'seen'])
    const sent = { from: { id: 'quinn', verified: true, via: 'mcp' }, content: 'word-for-mindy' }
    expect(await scene.mailOf('mindy')).toMatchObject([sent])
    const open = { items: [{ agent: 'quinn', state: 'open' }] }
    expect(await scene.ask('decision', 'list')).toMatchObject(open)
    expect(await scene.ask('gate', 'list', '--agent', 'quinn')).toMatchObject(open)
  })
})
