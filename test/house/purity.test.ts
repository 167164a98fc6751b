import { describe, expect, it } from 'vitest'
import { formatBreaches } from './breach.ts'
import { checkPurity } from './purity.ts'

const breachesOf = (file: string, text: string) => formatBreaches(checkPurity(new Map([[file, text]])))

describe('checkPurity finds a planted breach:', () => {
  it.each([
    ['src/core/a.ts', 'const at = Date.now()', 'core has a clock of its own: Date.now'],
    ['src/core/a.ts', 'const at = new Date()', 'core has a clock of its own: new Date()'],
    ['src/core/a.ts', 'const at = +new Date;', 'core has a clock of its own'],
    ['src/core/a.ts', 'const at = Date()', 'core has a clock of its own: Date()'],
    ['src/core/a.ts', 'pick(Math.random)', 'core has a clock of its own: Math.random'],
    ['src/core/a.ts', 'setTimeout(f, 1)', 'core has a clock of its own: setTimeout'],
    ['src/core/a.ts', 'crypto.randomUUID()', 'core has a clock of its own: crypto.randomUUID'],
    ['src/core/a.ts', 'performance.now()', 'core has a clock of its own: performance.now'],
    ['src/core/a.ts', 'AbortSignal.timeout(5)', 'core has a clock of its own: AbortSignal.timeout'],
    ['src/model/a.ts', 'Date.now()', 'model has a clock of its own'],
    ['src/store/a.ts', 'process.env.HOME', 'store may not read process.env'],
    ['src/store/a.ts', "process['env'].HOME", 'store may not read process['],
    ['src/server/a.ts', 'const { env } = process', 'server may not read { env } = process'],
    ['src/hooks/a.ts', "import { env } from 'node:process'", 'hooks may not read'],
    ['src/core/a.ts', 'process.exit(1)', 'core may not touch process.exit'],
    ['src/client/a.ts', "Buffer.from('a')", 'client may not touch Buffer.'],
    ['src/core/a.ts', "run('SELECT 1')", 'core holds SQL: SELECT 1'],
    ['src/core/a.ts', 'run(`\n  WITH a AS (SELECT 1) SELECT * FROM a`)', 'core holds SQL: WITH a AS'],
    ['src/host/a.ts', 'run("select a from b where c")', 'host holds SQL'],
    ['src/wires/postgres/a.ts', "run('insert into a values (1)')", 'wires/postgres holds SQL'],
  ])('%s: %s', (file, text, message) => {
    expect(breachesOf(file, text)).toContain(message)
  })
})

describe('checkPurity allows', () => {
  it.each([
    ['src/core/a.ts', 'const at = ctx.clock.now(); const iso = new Date(at).toISOString()'],
    ['src/core/a.ts', '// Date.now() and process.env are elsewhere\nconst a = "Date.now()"'],
    ['src/core/a.ts', 'ctx.timers.setTimeout(f, 1); session.process.pid'],
    ['src/core/a.ts', "fail('Update it with another name, or create one from the list.')"],
    ['src/store/sqlite/a.ts', "run('SELECT 1'); Date.now(); process.pid"],
    ['src/host/a.ts', 'process.env.HOME'],
    ['src/cli/a.ts', 'process.env.NO_COLOR'],
    ['src/core/a.test.ts', 'Date.now()'],
  ])('%s: %s', (file, text) => {
    expect(breachesOf(file, text)).toBe('')
  })
})
