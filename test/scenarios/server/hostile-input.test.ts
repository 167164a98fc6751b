import { describe, expect } from 'vitest'
import { describeApi } from '../../../src/server/openapi/openapi.ts'
import { openServer } from '../../helpers/http-server.ts'
import { type Schema, sampleOf } from '../../helpers/json-schema.ts'
import { campaign } from '../../helpers/tier.ts'
import { verifies } from '../verifies.ts'

const HOSTILE: readonly unknown[] = [
  '\0',
  '\ud800',
  '__proto__',
  'x'.repeat(5_000),
  -1,
  1.5,
  2 ** 53,
  1e300,
  null,
  [null],
  ['\0'],
  { '\0': '\0' },
]

interface Request {
  readonly route: string
  readonly body?: unknown
}

/**
 * Every request in the OpenAPI document, each with one field made hostile and the others valid. A field gets this many
 * hostile values, and the next field the values that follow.
 */
function* requests(perField: number): Generator<Request> {
  let given = 0
  for (const [template, methods] of Object.entries(describeApi().paths)) {
    for (const [method, { operationId, parameters = [], requestBody }] of Object.entries(methods)) {
      const schema = requestBody?.content['application/json']?.schema as Schema | undefined
      // What waits, or answers whatever comes, has nothing to say here.
      if (schema === undefined || /wait|hooks/i.test(operationId)) continue
      const inPath = parameters.filter((each) => each.in === 'path')
      const path = inPath.reduce(
        (text, { name, schema }) =>
          text.replace(`{${name}}`, name === 'agent' ? 'quinn' : String(sampleOf(schema as Schema))),
        template,
      )
      const { properties = {} } = schema
      const sample = { ...(sampleOf(schema) as object), ...(properties['agent'] && { agent: 'quinn' }) }
      for (const name of Object.keys(properties)) {
        for (let at = 0; at < perField; at++) {
          const value = HOSTILE[given++ % HOSTILE.length]
          yield { route: `${method.toUpperCase()} ${path}`, body: { ...sample, [name]: value } }
        }
      }
    }
  }
}

describe('hostile input', () => {
  const sizes = { quick: 3, full: HOSTILE.length, long: HOSTILE.length }
  campaign('is refused or taken, and never breaks anything for those who come after', sizes, async (perField) => {
    verifies('G16.bounded')
    const { ask, served, logged } = await openServer()
    await served.postern.agents.add({ id: 'quinn' })
    let count = 0
    for (const { route, body } of requests(perField)) {
      const { status, text } = await ask(route, { body, headers: { 'x-secret-key': 'none' } })
      expect(status, `${route} ${JSON.stringify(body).slice(0, 300)}: ${text}`).toBeLessThan(500)
      count++
    }
    expect(count).toBeGreaterThan(80 * perField)
    for (const room of ['agents', 'sessions', 'inbox?which=all', 'gates', 'decisions', 'spaces', 'plans', 'services']) {
      expect((await ask(`GET /api/v1/${room}`)).status, room).toBe(200)
    }
    expect(logged.filter((line) => line.includes('request.failed'))).toEqual([])
  })
})
