import type { Token } from '../../../model/network/token.ts'
import type { Command } from '../../shell/command.ts'
import { usage } from '../../shell/parse.ts'
import { answer } from '../../shell/print.ts'
import { formatTable } from '../../shell/table.ts'
import { requireDuration } from '../../shell/times.ts'

export const tokenCreate: Command = {
  path: 'token create',
  isForPeople: true,
  summary: 'Make a token for somebody who comes over the network. It is shown once.',
  options: [
    { name: 'scope', value: '<scope>', summary: 'whom it speaks for: admin, human:<id>, agent:<id> or service:<id>' },
    { name: 'label', value: '<text>', summary: 'what it is for' },
    { name: 'expires', value: '<duration>', summary: 'how long it is good (default: until it is revoked)' },
  ],
  examples: ['postern token create --scope agent:quinn --label "CI" --expires 30d'],

  async run(io, args) {
    const [scope, label, expires] = [args.get('scope'), args.get('label'), args.get('expires')]
    if (scope === undefined) throw usage(tokenCreate, 'Say whom it speaks for with --scope')
    const postern = await io.open()
    const made = await postern.tokens.create({
      scope,
      ...(label !== undefined && { label }),
      ...(expires !== undefined && { ttlMs: requireDuration(expires) }),
    })
    const text = [`Created: ${made.id}, for ${made.scope}.`, `  ${made.token}`, 'Keep it safe: it is shown this once.']
    answer(io, made, text.join('\n'))
    return undefined
  },
}

export const tokenList: Command = {
  path: 'token list',
  summary: 'List the tokens there are, without their secrets.',
  options: [{ name: 'all', summary: 'also those that were revoked' }],

  async run(io, args) {
    const postern = await io.open()
    const items = await postern.tokens.list({ revoked: args.has('all') })
    const rows = items.map((token) => [
      token.id,
      token.scope,
      stateOf(token, io.now()),
      new Date(token.createdAt).toISOString(),
      token.createdBy,
      token.label,
    ])
    const table = formatTable(['ID', 'SCOPE', 'STATE', 'CREATED', 'BY', 'LABEL'], rows, io.stdout.columns)
    answer(io, { items, next: null }, items.length === 0 ? 'There are no tokens.' : table)
    return undefined
  },
}

function stateOf({ revokedAt, expiresAt }: Token, now: number): string {
  if (revokedAt !== null) return 'revoked'
  if (expiresAt === null) return 'good'
  return expiresAt <= now ? 'expired' : `until ${new Date(expiresAt).toISOString().slice(0, 10)}`
}

export const tokenRevoke: Command = {
  path: 'token revoke',
  isForPeople: true,
  summary: 'Make a token worthless.',
  operands: '<id>',

  async run(io, args) {
    const postern = await io.open()
    const token = await postern.tokens.revoke({ id: args.operands[0] ?? '' })
    answer(io, token, `Revoked: ${token.id}, which spoke for ${token.scope}.`)
    return undefined
  },
}
