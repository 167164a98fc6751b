import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compiledCode } from '../helpers/compiled-code.ts'
import { FULL } from '../helpers/tier.ts'
import { INSPECTOR, NEEDS_OFFICIAL } from './official.ts'
import { type Carrier, openScene, type Scene } from './scene.ts'

describe.each(['stdio', 'http'] as const)("the official inspector's CLI over %s", NEEDS_OFFICIAL, (carrier) => {
  let scene: Scene

  beforeAll(async () => {
    scene = await openScene()
  })

  afterAll(() => scene?.close())

  /** What concerns no carrier runs over one of them in `npm test`. */
  const repeated = carrier === 'http' ? {} : FULL
  const inspect = (method: string, ...args: readonly string[]) => runInspector(scene, carrier, method, args)

  test('lists the tools, and finds no fault with their schemas', repeated, async () => {
    const { exit, answer } = await inspect('tools/list', '--strict')
    expect(exit).toBe(0)
    expect(answer.tools.map(({ name }: { name: string }) => name)).toContain('inbox_check')
  })

  test('sends a message, and takes it', async () => {
    const message = ['to_agent=quinn', 'message_type=fyi', 'subject=Green', 'payload="the build"']
    const sent = await inspect('tools/call', '--tool-name', 'send_message', '--tool-arg', ...message)
    expect(sent.exit).toBe(0)
    const [{ message_id: id }] = sent.answer.structuredContent.messages
    const taken = await inspect('tools/call', '--tool-name', 'inbox_check', '--tool-arg', 'maxTokens=1000')
    expect(taken.answer.structuredContent).toMatchObject({ messages: [{ id, from: 'quinn' }], remaining: 0 })
    expect(taken.answer.content[0].text).toContain('│')
  })

  test('is told by isError what is wrong, with what to do', repeated, async () => {
    const { exit, answer } = await inspect('tools/call', '--tool-name', 'message_read', '--tool-arg', 'id=msg_nowhere')
    expect(exit).not.toBe(0)
    expect(answer).toMatchObject({ isError: true })
    expect(answer.content[0].text).toContain('[MESSAGE_NOT_FOUND]')
  })

  test('lists resources and templates, and reads the inbox', repeated, async () => {
    const { answer } = await inspect('resources/list')
    expect(answer.resources[0]).toMatchObject({ uri: 'postern://inbox/quinn', mimeType: 'text/plain' })
    const templates = await inspect('resources/templates/list')
    expect(templates.answer.resourceTemplates).toHaveLength(6)
    const read = await inspect('resources/read', '--uri', 'postern://inbox/quinn')
    expect(read.answer.contents[0]).toMatchObject({ uri: 'postern://inbox/quinn', mimeType: 'text/plain' })
  })

  test('lists prompts, and gets one', repeated, async () => {
    const { answer } = await inspect('prompts/list')
    const names = answer.prompts.map(({ name }: { name: string }) => name)
    expect(names).toEqual(['postern-triage', 'postern-standup', 'postern-handoff'])
    const got = await inspect('prompts/get', '--prompt-name', 'postern-handoff')
    expect(got.answer.messages[0].content.text).toContain('handoff_leave')
  })
})

interface Inspected {
  readonly exit: number | null
  // biome-ignore lint/suspicious/noExplicitAny: what tests look into has many shapes
  readonly answer: any
}

/** Its own environment is not that of the programs it starts: those get what it is told. */
async function runInspector(
  scene: Scene,
  carrier: Carrier,
  method: string,
  args: readonly string[],
): Promise<Inspected> {
  const { home, url, token, env, project } = scene
  const target =
    carrier === 'stdio'
      ? ['-e', `POSTERN_HOME=${home}`, process.execPath, ...scene.stdio()]
      : [`${url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${token}`]
  const words = [INSPECTOR, '--cli', ...target, '--method', method, ...args]
  const child = spawn(process.execPath, words, {
    env: { ...env, NODE_COMPILE_CACHE: compiledCode() },
    cwd: project,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr, exit] = await Promise.all([text(child.stdout), text(child.stderr), exited])
  try {
    return { exit, answer: JSON.parse(stdout) }
  } catch {
    throw new Error(`the inspector answered no JSON: ${stdout}${stderr}`)
  }
}
