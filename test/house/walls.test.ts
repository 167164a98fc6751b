// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are source code.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatBreaches } from './breach.ts'
import { importsOf } from './imports.ts'
import { checkWalls } from './walls.ts'

const breachesOf = (file: string, text: string) => formatBreaches(checkWalls(new Map([[file, text]])))

describe('importsOf', () => {
  it.each([
    ["import { a } from './a.ts'", './a.ts', false],
    ["import a, { b } from './a.ts'", './a.ts', false],
    ["import * as a from './a.ts'", './a.ts', false],
    ["import './a.ts'", './a.ts', false],
    ["import {\n  a, // from 'x'\n  b,\n} from './a.ts'", './a.ts', false],
    ["import type { A } from './a.ts'", './a.ts', true],
    ["import type A from './a.ts'", './a.ts', true],
    ["import type * as A from './a.ts'", './a.ts', true],
    ["import { type A, type B } from './a.ts'", './a.ts', true],
    ["import { type A, b } from './a.ts'", './a.ts', false],
    ["import type from './a.ts'", './a.ts', false],
    ["import a from './a.json' with { type: 'json' }", './a.json', false],
    ["export { a } from './a.ts'", './a.ts', false],
    ["export * from './a.ts'", './a.ts', false],
    ["export * as a from './a.ts'", './a.ts', false],
    ["export type { A } from './a.ts'", './a.ts', true],
    ["const a = await import('./a.ts')", './a.ts', false],
    ['const a = await import(\n  /* why */ `./a.ts`,\n)', './a.ts', false],
    ["const a = require('./a.ts')", './a.ts', false],
    ["process.getBuiltinModule('node:fs')", 'node:fs', false],
    ["let a: import('./a.ts').A", './a.ts', false],
    ['await import(`./${name}.ts`)', undefined, false],
    ["await import('./a' + name)", undefined, false],
    ['await import(name)', undefined, false],
  ])('finds %j', (text, specifier, isTypeOnly) => {
    expect(importsOf(text).map((found) => [found.specifier, found.isTypeOnly])).toEqual([[specifier, isTypeOnly]])
  })

  it.each([
    "// import './a.ts'",
    'const a = "import \'./a.ts\'"',
    "a.from('x')",
    "const from = 'x'",
    'import.meta.url',
    "store.import('x')",
    "Array.from ('x')",
  ])('finds nothing in %j', (text) => {
    expect(importsOf(text)).toEqual([])
  })

  it('names the line', () => {
    expect(importsOf("import './a.ts'\n\nimport {\n  b,\n} from './b.ts'").map(({ line }) => line)).toEqual([1, 5])
  })
})

describe('checkWalls finds a planted breach:', () => {
  it.each([
    [
      'src/core/inbox/push.ts',
      "import { readFileSync } from 'node:fs'",
      'core may not touch node:fs; ask for it through the context',
    ],
    ['src/core/inbox/push.ts', "import { readFileSync } from 'fs'", 'core may not touch fs'],
    [
      'src/core/inbox/push.ts',
      "import { openStore } from '../../store/store.ts'",
      'core may know store/store.ts only as a contract; write "import type"',
    ],
    [
      'src/core/inbox/push.ts',
      "import type { Row } from '../../store/sqlite/rows.ts'",
      'core may not import store/sqlite/rows.ts',
    ],
    ['src/core/inbox/push.ts', "import { lock } from '../../kit/node/lock.ts'", 'core may not import kit/node/lock.ts'],
    ['src/model/agent.ts', "import { z } from 'zod'", 'model may not import the package zod'],
    ['src/model/agent.ts', "import { push } from '../core/inbox/push.ts'", 'model may not import core/inbox/push.ts'],
    ['src/kit/pure/ulid.ts', "import { randomBytes } from 'node:crypto'", 'kit/pure may not touch node:crypto'],
    [
      'src/kit/node/lock.ts',
      "import { PosternError } from '../../model/errors.ts'",
      'kit/node may not import model/errors.ts',
    ],
    ['src/store/sqlite/open.ts', "import pg from 'pg'", 'store may not import the package pg'],
    ['src/store/agents.ts', "import { push } from '../core/inbox/push.ts'", 'store may not import core/inbox/push.ts'],
    ['src/wires/local/doorbell.ts', "const pg = await import('pg')", 'wires may not import the package pg'],
    [
      'src/cli/commands/push.ts',
      "import { push } from '../../core/inbox/push.ts'",
      'cli may not import core/inbox/push.ts; use the Postern that host hands you',
    ],
    [
      'src/server/routes.ts',
      "import { openStore } from '../store/sqlite/open.ts'",
      'server may not import store/sqlite/open.ts',
    ],
    ['src/hooks/chain.ts', "import { all } from '../operations/all.ts'", 'hooks may not import operations/all.ts'],
    ['src/hooks/hosts/codex.ts', "import { readFileSync } from 'node:fs'", 'hooks/hosts may not touch node:fs'],
    ['src/host/open.ts', "export { run } from '../cli/run.ts'", 'host may not import cli/run.ts'],
    ['src/render/fence.ts', "import type { Store } from '../store/store.ts'", 'render may not import store/store.ts'],
    ['src/index.ts', "export { push } from './core/inbox/push.ts'", 'index.ts may not import core/inbox/push.ts'],
    ['src/core/gates/check.ts', 'await import(name)', 'core imports what only running it can tell'],
    ['src/model/agent.ts', "import { it } from '../../test/helpers/signal.ts'", 'reaches out of src/'],
    ['src/attic/box.ts', '', 'stands in no room'],
    ['src/wires/nats/wire.ts', "import { a } from '../redis/a.ts'", 'wires/nats may not import wires/redis/a.ts'],
    [
      'src/core/gates/close.ts',
      "import { pushMessage } from '../inbox/push.ts'",
      'core/gates may not import core/inbox/push.ts, which stands above it; move what both need below both',
    ],
    [
      'src/core/ledger/intake/take-in.ts',
      "import type { Loop } from '../../upkeep/loops.ts'",
      'core/ledger may not import core/upkeep/loops.ts',
    ],
    ['src/core/agents/add.ts', "await import('../verbs.ts')", 'core/agents may not import core/verbs.ts'],
    ['src/core/attic/box.ts', '', 'stands in no alcove of core'],
  ])('%s: %s', (file, text, message) => {
    expect(breachesOf(file, text)).toContain(message)
  })
})

describe('checkWalls allows', () => {
  it.each([
    ['src/core/inbox/push.ts', "import type { Store } from '../../store/store.ts'"],
    ['src/core/inbox/push.ts', "import { drain } from './drain.ts'\nimport { open } from '../gates/open.ts'"],
    ['src/core/inbox/push.ts', "import { PosternError } from '../../model/errors.ts'"],
    ['src/store/postgres/open.ts', "import pg from 'pg'\nimport { rows } from '../rows.ts'"],
    ['src/store/open.ts', "const { open } = await import('./postgres/open.ts')"],
    ['src/wires/nats/wire.ts', "import { connect } from '@nats-io/transport-node'"],
    ['src/operations/inbox.ts', "import { z } from 'zod/mini'"],
    ['src/core/ledger/intake/take-in.ts', "import { a } from '../a.ts'\nimport { b } from '../../inbox/b.ts'"],
    ['src/wires/nats/wire.ts', "import type { Wire } from '../wire.ts'"],
    ['src/wires/open.ts', "const { open } = await import('./nats/open.ts')"],
    ['src/core/inbox/push.test.ts', "import { readFileSync } from 'node:fs'"],
  ])('%s: %s', (file, text) => {
    expect(breachesOf(file, text)).toBe('')
  })
})

it('keeps the black box outside: its tests import nothing of the product', () => {
  const root = new URL('../../test/blackbox/', import.meta.url).pathname
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const found = files.flatMap((file) =>
    importsOf(readFileSync(join(root, file), 'utf8')).filter(({ specifier }) => specifier?.includes('/src/')),
  )
  expect(files.length).toBeGreaterThan(5)
  expect(found).toEqual([])
})
