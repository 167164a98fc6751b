import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatError } from '../../src/cli/shell/run-command.ts'
import { toRefusal } from '../../src/mcp/tools/result.ts'
import { type ErrorCode, errorOf, errorTable, outcomeOf } from '../../src/model/errors.ts'
import { CORE_TOOLS } from '../../src/operations/tools/table.ts'
import { problemOf, problemReply } from '../../src/server/problem.ts'
import { faultsOfNext, faultsOfText } from './error-faults.ts'
import { readTree } from './tree.ts'

const CODES = Object.keys(errorTable()) as ErrorCode[]
const root = new URL('../..', import.meta.url).pathname

/** Every kind of detail that a caller can cause. */
const KINDS: Readonly<Record<string, unknown>> = {
  missing: undefined,
  nothing: null,
  empty: '',
  'a number': 0,
  'a switch': false,
  'another type': { odd: ['thing'] },
  'too long': 'x'.repeat(5_000),
  hostile: 'a\nb\u202e\0\ud800 [FAKE]',
  plain: 'thing',
}

/** Details that hold a sentence, which the place that throws the error must give; see the walk over the sources. */
const SENTENCES: Readonly<Record<string, string>> = { message: 'It is so.', next: 'Do that.' }

const [tool] = CORE_TOOLS

/** Every error with every kind of detail: all slots of one kind, and one slot of a kind among plain ones. */
function* variants(): Generator<readonly [code: ErrorCode, kind: string, details: Record<string, unknown>]> {
  for (const code of CODES) {
    const { text, next } = errorTable()[code]
    const slots = [...`${text}${next}`.matchAll(/\{"?(\w+)"?\??\}/g)].map(([, name = '']) => name)
    const optional = [...`${text}${next}`.matchAll(/\{(\w+)\?\}/g)].map(([, name = '']) => name)
    const given = slots.filter((name) => !(name in SENTENCES) && !optional.includes(name))
    const plain = Object.fromEntries(slots.map((name) => [name, SENTENCES[name] ?? 'thing']))
    for (const name of optional) delete plain[name]
    for (const [kind, value] of Object.entries(KINDS)) {
      yield [code, kind, { ...plain, ...Object.fromEntries(given.map((name) => [name, value])) }]
      for (const name of given) yield [code, `${kind} ${name}`, { ...plain, [name]: value }]
    }
  }
}

describe('the text of every error', () => {
  it('has no hole at any door, whatever its details are', () => {
    const faults = new Set<string>()
    for (const [code, kind, details] of variants()) {
      const error = errorOf(code, details as never)
      const problem = JSON.parse(String(problemReply(problemOf(error, 'req_1')).body))
      const { content } = toRefusal(tool!, error)
      const texts: readonly (readonly [door: string, text: string])[] = [
        ['cli', formatError(error).replace(/^postern: (.*) \[\w+\]$/s, '$1')],
        ['http', problem.detail],
        ['http next', problem.next],
        [
          'mcp',
          content
            .map((part) => ('text' in part ? part.text : ''))
            .join()
            .replace(/ \[\w+\]$/, ''),
        ],
      ]
      for (const [door, text] of texts) {
        for (const fault of faultsOfText(text)) faults.add(`${code}, ${kind}, ${door}: ${fault}`)
        if (text.length > 1_500) faults.add(`${code}, ${kind}, ${door}: ${text.length} characters`)
      }
    }
    expect([...faults]).toEqual([])
  })

  it('names a next step that the command line takes, and that other doors can follow', () => {
    const faults = CODES.flatMap((code) => {
      const details = { next: 'Do that.', message: 'It is so.' }
      const { next } = errorTable()[code]
      const filled = errorOf(
        code,
        new Proxy(details, { get: (known, name) => Reflect.get(known, name) ?? 'x' }) as never,
      )
      expect(next, code).not.toBe('')
      return faultsOfNext(next === '{next}' ? details.next : filled.next.replaceAll('unknown', 'x')).map(
        (fault) => `${code}: ${fault}`,
      )
    })
    expect(faults).toEqual([])
  })

  it('is the one in docs/reference/errors.md, with its next step and its outcome', () => {
    const page = readFileSync(join(root, 'docs/reference/errors.md'), 'utf8')
    const plain = (template: string) => template.replaceAll(/\{"?(\w+)"?\??\}/g, '{$1}')
    for (const code of CODES) {
      const { text, next } = errorTable()[code]
      const { exit, http, retryable } = outcomeOf(code)
      const section = page.split(`\n## ${code}\n`)[1]?.split('\n## ')[0] ?? ''
      expect(section, code).toContain(`\n> ${plain(text)}\n`)
      expect(section, code).toContain(`\n- **Next step**: ${plain(next)}\n`)
      const outcome = `Exit code ${exit} · HTTP status ${http} · ${retryable ? 'retryable' : 'not retryable'}`
      expect(section, code).toContain(outcome)
    }
  })
})

describe('a next step that is written where its error is thrown', () => {
  /** The words of the command line stand in its own rooms; elsewhere every door shows them. */
  const steps = [...readTree('src')]
    .filter(([file]) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap(([file, source]) => {
      const found = source.matchAll(/(?<![.\w'])\bnext(?: =|:) *\n? *(?:'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`)/g)
      return [...found].map(([, plain, template]) => ({
        file,
        next: (plain ?? template ?? '')
          .replaceAll(/\$\{[^}]*\}/g, 'x')
          .replaceAll(/\{"?\w+"?(\??)\}/g, (_, optional) => (optional ? '' : 'x')),
      }))
    })

  it('is found in the sources', () => {
    expect(steps.length).toBeGreaterThan(250)
  })

  it('names commands that there are', () => {
    const own = (file: string) => file.startsWith('src/cli/')
    const faults = steps.flatMap(({ file, next }) =>
      faultsOfNext(next)
        .filter((fault) => !fault.startsWith('no end') && !(own(file) && fault.startsWith('an option')))
        .map((fault) => `${file}: ${fault}`),
    )
    expect(faults).toEqual([])
  })
})
