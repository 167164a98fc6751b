import { createHash } from 'node:crypto'
import { type ErrorCode, errorTable, outcomeOf } from '../../model/errors.ts'
import { type JsonSchema, typesOf } from '../../operations/json-schema.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { jsonReply, type Reply } from '../exchange.ts'
import { type ApiOperation, describeApi, type OpenApi } from '../openapi/openapi.ts'

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:60rem;margin:0 auto;padding:1rem}
code{font:0.9em ui-monospace,monospace}
section{border-top:1px solid #8886;padding:0.5rem 0}
h3{margin:0.5rem 0 0}
table{border-collapse:collapse;width:100%}
td,th{text-align:left;vertical-align:top;padding:0.1rem 0.75rem 0.1rem 0}
.method{font-weight:bold;display:inline-block;min-width:4rem}
summary{cursor:pointer}`

const CSP = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** The description of the server, for programs and for people. Both are made when they are first asked for. */
export function referencePages(): readonly Endpoint[] {
  let api: OpenApi | undefined
  let html: string | undefined
  const describe = () => {
    api ??= describeApi()
    return api
  }
  return [
    {
      route: 'GET /openapi.json',
      name: 'openapi',
      isOpen: true,
      answer: async () => jsonReply(200, describe()),
    },
    {
      route: 'GET /docs',
      name: 'docs',
      isOpen: true,
      async answer(): Promise<Reply> {
        html ??= formatReference(describe())
        return {
          status: 200,
          body: html,
          type: 'text/html; charset=utf-8',
          headers: { 'content-security-policy': CSP },
        }
      },
    },
  ]
}

export function formatReference(api: OpenApi): string {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const byTag = api.tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name))
    return own.length === 0
      ? ''
      : `<h2 id="${name}">${name}</h2><p>${escapeHtml(description)}</p>${own.map(section).join('')}`
  })
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Postern HTTP reference</title><style>${STYLE}</style></head><body>
<h1>Postern ${escapeHtml(api.info.version)}: HTTP reference</h1>
<p>${escapeHtml(api.info.description)} The same for programs: <a href="/openapi.json">openapi.json</a>.</p>
<p>Send <code>Authorization: Bearer &lt;token&gt;</code> and JSON. Times are ISO 8601 in answers, durations milliseconds.</p>
<nav>${api.tags.map(({ name }) => `<a href="#${name}">${name}</a>`).join(' · ')} · <a href="#errors">errors</a></nav>
${byTag.join('')}<h2 id="errors">errors</h2>${formatErrors()}</body></html>`
}

interface Described {
  readonly path: string
  readonly method: string
  readonly operation: ApiOperation
}

function section({ path, method, operation }: Described): string {
  const { operationId, summary, description = '', parameters = [], requestBody, responses } = operation
  const body = requestBody?.content['application/json']?.schema
  const fields = [
    ...parameters.map(({ name, in: where, required, schema, description }) =>
      row(name, `${where}${required ? ', required' : ''}`, schema, description),
    ),
    ...Object.entries(body?.properties ?? {}).map(([name, schema]) =>
      row(name, body?.required?.includes(name) ? 'body, required' : 'body', schema),
    ),
  ]
  const answers = Object.entries(responses).map(
    ([status, response]) =>
      `<tr><td>${status}</td><td>${escapeHtml(String((response as { description: string }).description))}</td></tr>`,
  )
  return `<section id="${operationId}"><h3><span class="method">${method}</span> <code>${escapeHtml(path)}</code></h3>
<p>${escapeHtml(summary)} ${escapeHtml(description)}</p>
${fields.length === 0 ? '' : `<table>${fields.join('')}</table>`}
<details><summary>answers</summary><table>${answers.join('')}</table></details></section>`
}

function row(name: string, where: string, schema: JsonSchema, description = schema['description']): string {
  const words = typeof description === 'string' ? description : ''
  return `<tr><td><code>${escapeHtml(name)}</code></td><td>${where}</td><td>${escapeHtml(kindOf(schema))}</td><td>${escapeHtml(words)}</td></tr>`
}

function kindOf(schema: JsonSchema): string {
  const { items, anyOf, enum: values, const: value } = schema
  if (Array.isArray(values)) return values.join(' | ')
  if (value !== undefined) return String(value)
  if (anyOf) return anyOf.map(kindOf).join(' or ')
  const types = typesOf(schema).map((type) => (type === 'array' ? `list of ${kindOf(items ?? {})}` : type))
  return types.length === 0 ? 'any JSON' : types.join(' or ')
}

function formatErrors(): string {
  const rows = Object.entries(errorTable()).map(
    ([code, { text, next }]) =>
      `<tr id="${code}"><td><code>${code}</code></td><td>${outcomeOf(code as ErrorCode).http}</td><td>${escapeHtml(text)} ${escapeHtml(next)}</td></tr>`,
  )
  return `<table>${rows.join('')}</table>`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
