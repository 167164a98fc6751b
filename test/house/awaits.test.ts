import { describe, expect, it } from 'vitest'
import { checkAwaits } from './awaits.ts'
import { formatBreaches } from './breach.ts'

const breachesOf = (text: string) => formatBreaches(checkAwaits(new Map([['src/core/gates/resolve.ts', text]])))

const GOOD = `
/** Resolves a gate. */
export function resolveGate(ctx: Context, input: ResolveGate): Promise<Gate> {
  return ctx.store.transact(async (tx) => {
    const gate = await tx.gates.get(input.gateId)
    if (!gate) throw new PosternError('GATE_NOT_FOUND', { gateId: input.gateId })
    const all = await Promise.all(input.ids.map((id) => tx.gates.get(id)))
    const long = await tx.gates
      .resolve({ gateId: gate.id })
      .catch(() => undefined)
    await pushMessage(ctx, tx, notice(gate))
    return gate ? await show(tx) : undefined
  })
}

async function show(tx: Shelves): Promise<{ readonly a: number } | undefined> {
  for await (const row of tx.rows()) use(row)
  return { a: await tx.count() }
}

interface Loop {
  slice(ctx: Context, tx: Shelves): Promise<number>
  other: (tx: Shelves) => Promise<{ a: number }>
}

export async function wait(ctx: Context): Promise<void> {
  const found = await ctx.store.read.deliveries.waiting({})
  const done = found ? await ctx.store.single((tx) => tx.upkeep.counts()) : await ctx.rings.next()
  await ctx.timers.sleep(5)
}
`

const inVerb = (body: string) =>
  `export const verb = (ctx: Context) => ctx.store.transact(async (tx) => {\n  ${body}\n})\nawait after()`
const inPart = (body: string) =>
  `async function part(ctx: Context, tx: Shelves): Promise<{ a: Map<string, () => void> }> {\n  ${body}\n}\nawait after()`
const inMethod = (body: string) => `const loop: Loop = {\n  async slice(ctx, tx) {\n  ${body}\n  },\n}\nawait after()`

describe('checkAwaits', () => {
  it('is content with verbs that await their transaction, and with waits outside of one', () => {
    expect(breachesOf(GOOD)).toBe('')
    expect(breachesOf('if (tx) {\n  await other()\n}')).toBe('')
    expect(breachesOf('const a = ok ? f(tx) : { b: await c() }')).toBe('')
  })

  describe.each([
    ['a verb', inVerb],
    ['a part of a verb', inPart],
    ['a method', inMethod],
  ])('finds in %s the planted', (_name, wrap) => {
    it.each([
      ['await fetch(url)', 'fetch(url)'],
      ['const a = await ctx.timers.sleep(5)', 'ctx.timers.sleep(5)'],
      ['await ctx.store.read.agents.get(id)', 'ctx.store.read.agents.get(id)'],
      ['await ctx.store.transact(async (tx) => tx.a.b())', 'ctx.store.transact'],
      ['const f = async () => {\n    await other()\n  }', 'other()'],
      ['for await (const a of source) use(a)', '(const a of source)'],
      ['await other()\n  tx.gates.get(id)', 'other()'],
      ['use(await other(), tx)', 'other()'],
      ['const a = [await other(ctx.tx)]', 'other(ctx.tx)'],
      ["await other('tx') // tx", 'other('],
      ['await Promise.all([later()])', 'Promise.all'],
    ])('%s', (body, named) => {
      const found = breachesOf(wrap(body))
      expect(found).toContain('a verb awaits "')
      expect(found).toContain(named)
      expect(found.split('\n').length).toBe(1)
    })
  })

  it.each([
    'ctx.store.transact(async (shelves) => { await other() })',
    'ctx.store.single((shelves) => shelves.agents.get(id))',
  ])('finds a transaction under another name: %s', (text) => {
    expect(breachesOf(text)).toContain('the transaction is called shelves; call it tx')
  })

  it('finds a foreign await in what may be part of a transaction under any name', () => {
    const part = (body: string) => `async function get(shelves: Shelves, id: string): Promise<Agent> {\n  ${body}\n}`
    expect(breachesOf(part('return await shelves.agents.get(id)'))).toBe('')
    expect(breachesOf(part('return await other(id)'))).toContain('a verb awaits "other(id)"')
  })

  it.each([
    ['ltx: LedgerTx', 'ltx'],
    ['intake: Intake', 'intake'],
    ['{ ctx, tx }: LedgerTx', 'tx'],
    ['{ ctx, ledgers: { ledger }, tx }: Intake', 'tx'],
  ])('finds a foreign await in a function that takes %s', (parameter, name) => {
    const part = (body: string) => `async function get(${parameter}, id: string): Promise<Agent> {\n  ${body}\n}`
    expect(breachesOf(part(`return await agentOf(${name}, id)`))).toBe('')
    expect(breachesOf(part('return await other(id)'))).toContain('a verb awaits "other(id)"')
    expect(breachesOf(part('return await ctx.store.read.agents.get(id)'))).toContain('a verb awaits "ctx.store.read')
  })

  it('finds a foreign await in what writes the entries of a publication', () => {
    const part = (body: string) => `return {\n  async write(entryWriter) {\n    ${body}\n  },\n}`
    expect(breachesOf(part('await entryWriter.submit({ text: await textOf(entryWriter) })'))).toBe('')
    expect(breachesOf(part('await other(text)'))).toContain('a verb awaits "other(text)"')
  })

  it('takes a LedgerTx that a verb has made of its transaction for the transaction', () => {
    const made = 'const ltx = { ctx, ledgers, tx }\n  await publish(ltx)'
    expect(breachesOf(inVerb(made))).toBe('')
    expect(breachesOf(inVerb(`${made}\n  await other()`))).toContain('a verb awaits "other()"')
  })

  it('looks at the heart only', () => {
    expect(checkAwaits(new Map([['src/store/sqlite/group.ts', inVerb('await other()')]]))).toEqual([])
  })
})
