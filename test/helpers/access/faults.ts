import { type AccessRow, type Column, verdictOf } from '../../../scripts/access-table.ts'
import { connectPostern } from '../../../src/client/connect.ts'
import type { AccessVerdict } from '../../../src/model/access.ts'
import { type Caller, LOCAL_CALLER } from '../../../src/model/caller.ts'
import { OPERATIONS, type OperationName } from '../../../src/model/operations.ts'
import type { Postern } from '../../../src/model/postern.ts'
import type { Operation } from '../../../src/operations/operation.ts'
import { admit, perform } from '../../../src/operations/perform.ts'
import { DECLARED_OPERATIONS } from '../../../src/operations/table.ts'
import { type Input, inputOf } from './inputs.ts'
import { type AccessWorld, callerOf } from './world.ts'

/** Who calls, and whose things the call is about. */
interface Part {
  readonly column: Column
  readonly caller: Caller
  readonly scope: string
  readonly owner: string
}

const ADMIN: Caller = { ...LOCAL_CALLER, verified: true, via: 'http' }
const partOf = (column: Column, id: string, owner: string, scope: string): Part => ({
  column,
  caller: callerOf(id),
  scope: `${scope}:${id}`,
  owner,
})

/** Everybody who has a credential. A service that names what belongs to another gets what an agent would get. */
export const PARTS: readonly Part[] = [
  partOf('agent', 'quinn', 'quinn', 'agent'),
  partOf('other', 'mindy', 'quinn', 'agent'),
  partOf('service', 'sentry', 'sentry', 'service'),
  partOf('other', 'sentry', 'quinn', 'service'),
  partOf('person', 'justin', 'quinn', 'human'),
  { column: 'admin', caller: ADMIN, scope: 'admin', owner: 'quinn' },
]
/** A process in a session of quinn, which has no credential: its door checks nothing. */
export const NAMED: Caller = { ...callerOf('quinn'), verified: false, via: 'cli' }
/** Callers that have no credential: somebody who has not said who they are, and one who says that it is quinn. */
export const LOCAL_PARTS: readonly Part[] = [
  { column: 'local', caller: LOCAL_CALLER, scope: '', owner: 'quinn' },
  { column: 'named', caller: NAMED, scope: '', owner: 'quinn' },
]

/** Calls an operation as somebody. */
export type CallAs = (part: Part, name: OperationName, input: Input) => Promise<unknown>

export function declaredOperation(name: OperationName): Operation {
  return DECLARED_OPERATIONS.find((each) => each.name === name) as Operation
}

/** Calls as a door does that has identified the caller: MCP, and HTTP behind its token. A local caller passes none. */
export function inProcess({ server }: AccessWorld, admitAs = admit): CallAs {
  const { postern } = server.served
  return async ({ column, caller, scope }, name, given) => {
    const own = postern.as(caller)
    if (column === 'local' || column === 'named') return perform(own, name, given)
    const [kind, id = null] = scope.split(':')
    const identity = { scope: { kind, id }, caller } as Parameters<typeof admit>[1]['identity']
    return perform(own, name, await admitAs(declaredOperation(name), { identity, postern: own }, given))
  }
}

/** Calls over HTTP with a token of the caller. */
export async function overHttp({ server }: AccessWorld): Promise<CallAs> {
  const clients = new Map<string, Postern>()
  for (const { scope } of PARTS)
    clients.set(scope, await connectPostern({ url: server.url, token: await server.token(scope) }))
  return ({ scope }, name, input) => perform(clients.get(scope) as Postern, name, input)
}

interface Outcome {
  /** The code of the error; undefined if the call was answered. */
  readonly code: string | undefined
  /** The answer or the error, without the ids of the input. */
  readonly text: string
}

/** Errors by which a caller is refused whatever it names. */
const REFUSALS: readonly (string | undefined)[] = ['NOT_ALLOWED', 'UNAUTHENTICATED', 'SPACE_NOT_MEMBER', 'USAGE']
/** Errors that only a caller meets that may call. */
const REACHED: readonly (string | undefined)[] = [undefined, 'TIMED_OUT']

/** What is wrong with the answers to one row of the table, for one caller. */
export async function faultsIn(world: AccessWorld, call: CallAs, row: AccessRow, part: Part): Promise<string[]> {
  const { name } = row
  const make = inputOf(row)
  if (!make) return [`${name}: there is no input for it`]
  const verdict = expectedOf(row, part)
  const input = await make(world, ownerIn(row, part))
  const mark = JSON.stringify(input).includes(world.lastMark()) ? undefined : world.lastMark()
  const outcome = await tryCall(call, part, name, input)
  const faults = [
    ...wrongIn(outcome, verdict),
    ...(verdict !== 'yes' && mark !== undefined && outcome.text.includes(mark) ? ['it tells what it must not'] : []),
  ]
  const isForeign = part.column === 'other' && !isPublic(name)
  const absent = absentOf(world, input)
  if (isForeign && verdict !== 'yes' && absent !== undefined) {
    const answered = await tryCall(call, part, name, absent)
    if (answered.code !== outcome.code) faults.push(`it is ${outcome.code}, but ${answered.code} if nothing is there`)
  }
  if (isForeign && absent !== undefined)
    faults.push(...(await faultsForItself(call, part, name, { input, absent, mark })))
  return faults.map((fault) => `${name} by ${part.caller.id || part.column}: ${fault}`)
}

/** A caller may name itself as the agent, and what belongs to another as the thing. */
async function faultsForItself(
  call: CallAs,
  part: Part,
  name: OperationName,
  { input, absent, mark }: { readonly input: Input; readonly absent: Input; readonly mark: string | undefined },
): Promise<string[]> {
  const { access } = OPERATIONS[name]
  if (access.to !== 'own' || input[access.field] === undefined) return []
  const itself = { [access.field]: part.caller.id }
  const [met, unmet] = [
    await tryCall(call, part, name, { ...input, ...itself }),
    await tryCall(call, part, name, { ...absent, ...itself }),
  ]
  return [
    ...(met.code === unmet.code || isTaken(met, unmet, part.owner)
      ? []
      : [`for itself it is ${met.code}, but ${unmet.code} if nothing is there`]),
    ...(mark !== undefined && met.text.includes(mark) ? ['for itself it tells what it must not'] : []),
  ]
}

/** Sessions have names that callers choose, so a name that is taken is refused to others, who are not told by whom. */
function isTaken(met: Outcome, unmet: Outcome, owner: string): boolean {
  return met.code === 'SESSION_CONFLICT' && unmet.code === undefined && !met.text.includes(owner)
}

function expectedOf(row: AccessRow, { column, caller }: Part): AccessVerdict {
  return column === 'other' && caller.kind === 'service' && isShutToServices(row) ? 'no' : verdictOf(row, column)
}

function isShutToServices({ name }: AccessRow): boolean {
  return ['insiders', 'people', 'admin'].includes(OPERATIONS[name].access.to)
}

/** A service that may not call at all need own nothing. */
function ownerIn(row: AccessRow, { column, owner }: Part): string {
  return column === 'service' && isShutToServices(row) ? 'quinn' : owner
}

function wrongIn({ code, text }: Outcome, verdict: AccessVerdict): string[] {
  const isRight =
    verdict === 'no'
      ? REFUSALS.includes(code)
      : verdict === 'unseen'
        ? code?.endsWith('_NOT_FOUND') === true || code === 'HANDOFF_UNKNOWN_PROJECT'
        : REACHED.includes(code)
  return isRight ? [] : [`the table says ${verdict}, the answer is ${code ?? 'yes'}: ${text.slice(0, 200)}`]
}

/** Whether programs may know of all things of a noun. */
function isPublic(name: OperationName): boolean {
  const show = `${name.split('.')[0]}.show` as OperationName
  return show in OPERATIONS && verdictOf({ name: show }, 'other') === 'yes'
}

async function tryCall(call: CallAs, part: Part, name: OperationName, input: Input): Promise<Outcome> {
  try {
    return { code: undefined, text: JSON.stringify((await call(part, name, input)) ?? null) }
  } catch (error) {
    const { code = 'UNKNOWN', message } = error as Error & { readonly code?: string }
    return { code, text: message }
  }
}

const ID = /^([a-z]+_)[0-9A-Z]{26}$|^thing-\d+$/

/** The same input about things that do not exist; undefined if it names none. */
function absentOf(world: AccessWorld, input: Input): Input | undefined {
  const text = JSON.stringify(input, (_, value) =>
    typeof value === 'string'
      ? value.replace(ID, (id) => (id.startsWith('thing') ? world.name() : `${id.slice(0, -16)}${'0'.repeat(16)}`))
      : value,
  )
  return text === JSON.stringify(input) ? undefined : JSON.parse(text)
}
