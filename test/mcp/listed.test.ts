import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { estimateTokens } from '../../src/render/tokens.ts'
import { posternJson } from '../helpers/command.ts'
import { listedBy } from './listed.ts'
import { openScene, type Scene, WAYS } from './scene.ts'

const SNAPSHOT = fileURLToPath(new URL('./tools.snapshot.json', import.meta.url))
const UPDATE = 'POSTERN_UPDATE_TOOLS'
const ADVICE = [
  'What clients are told of our tools has changed. That is a visible act: models act upon every word of it, and hosts keep it.',
  `Where it is meant, run "${UPDATE}=1 npx vitest run --project mcp test/mcp/listed.test.ts" and commit tools.snapshot.json with the reason.`,
].join(' ')

/** Claude Code cuts descriptions and instructions off there. */
const MAX_TEXT = 2_048
const MAX_CORE_TOOLS = 16
const MAX_CORE_TOKENS = 4_000

type Listed = Awaited<ReturnType<typeof listedBy>>

interface Costs {
  readonly tools: readonly { readonly name: string; readonly tokens: number }[]
  readonly total: number
}

describe('what clients are told', () => {
  let scene: Scene
  let core: readonly string[]
  let listed: Listed

  beforeAll(async () => {
    scene = await openScene()
    core = (await posternJson<Costs>(scene, 'mcp', '--cost')).tools.map(({ name }) => name)
    listed = await listedBy(scene, { carrier: 'stdio', era: 'modern' })
  })

  afterAll(() => scene?.close())

  const coreTools = () => listed.tools.filter(({ name }) => core.includes(name))

  test('changes only where somebody says so', () => {
    const isCore = ({ name }: { readonly name: string }) => core.includes(name)
    const { tools, ...rest } = listed
    const told = { ...rest, core: tools.filter(isCore), seeds: tools.filter((tool) => !isCore(tool)) }
    if (process.env[UPDATE] === '1') writeFileSync(SNAPSHOT, `${JSON.stringify(told, null, 2)}\n`)
    expect(told, ADVICE).toEqual(JSON.parse(readFileSync(SNAPSHOT, 'utf8')))
  })

  test.each(WAYS)('is the same whichever way they come: $era over $carrier', async (way) => {
    expect(await listedBy(scene, way)).toEqual(listed)
  })

  test('holds at most 16 tools, and the others come after them', () => {
    expect(core.length).toBeLessThanOrEqual(MAX_CORE_TOOLS)
    expect(listed.tools.slice(0, core.length).map(({ name }) => name)).toEqual(core)
  })

  test('costs a model at most 4,000 tokens, as "postern mcp --cost" says of exactly what is listed', async () => {
    const { tools, total } = await posternJson<Costs>(scene, 'mcp', '--cost')
    expect(total).toBeLessThanOrEqual(MAX_CORE_TOKENS)
    expect(total).toBe(estimateTokens(JSON.stringify(coreTools())))
    for (const { name, tokens } of tools) {
      expect(tokens, name).toBe(estimateTokens(JSON.stringify(coreTools().find((tool) => tool.name === name))))
    }
    const sum = tools.reduce((all, { tokens }) => all + tokens, 0)
    expect(Math.abs(sum - total)).toBeLessThanOrEqual(tools.length)
  })

  test('says of every tool all four of what it may do, a title, and what it answers', () => {
    for (const { name, title, description, annotations, inputSchema, outputSchema } of listed.tools) {
      expect(annotations, name).toEqual({
        readOnlyHint: expect.any(Boolean),
        destructiveHint: expect.any(Boolean),
        idempotentHint: expect.any(Boolean),
        openWorldHint: expect.any(Boolean),
      })
      expect([inputSchema.type, outputSchema?.type], name).toEqual(['object', 'object'])
      expect([title, description], name).toEqual([expect.stringMatching(/./), expect.stringMatching(/\.$/)])
    }
  })

  test('fits where hosts cut it off', () => {
    const texts = [listed.instructions?.join('\n'), ...listed.tools.map(({ description }) => description)]
    for (const text of texts) expect(text?.length).toBeLessThan(MAX_TEXT)
  })
})
