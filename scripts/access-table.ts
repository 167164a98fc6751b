// Writes the table of SECURITY.md that says who may call which operation: `node scripts/access-table.ts`.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Access, AccessRole, AccessVerdict, InputCondition } from '../src/model/access.ts'
import { OPERATION_NAMES, OPERATIONS, type OperationName } from '../src/model/operations.ts'

/** A row of the table: an operation, or an operation with an input for which other rules hold. */
export interface AccessRow {
  readonly name: OperationName
  readonly input?: InputCondition
}

/** Everybody who may call: `nobody` has no credential, and all but `local` and `named` call over HTTP or MCP. */
export type Column = 'nobody' | AccessRole

export const COLUMNS: Readonly<Record<Column, string>> = {
  nobody: 'nobody',
  local: 'local',
  named: 'local, named',
  agent: 'agent, own',
  other: 'agent, of another',
  service: 'service',
  person: 'person',
  admin: 'admin',
}

export const ACCESS_ROWS: readonly AccessRow[] = OPERATION_NAMES.flatMap((name) => {
  const { needsAdmin, needsPerson, needsLocal = [] } = OPERATIONS[name].access
  const inputs = [needsAdmin, needsPerson, ...needsLocal].filter((input) => input !== undefined)
  return [{ name }, ...inputs.map((input) => ({ name, input }))]
})

/** What a caller gets, as the declaration of the operation says. */
export function verdictOf({ name, input }: AccessRow, column: Column): AccessVerdict {
  const { access } = OPERATIONS[name]
  if (access.to === 'proven') return 'yes'
  if (column === 'nobody') return 'no'
  if (input !== undefined) return mayMatch(access, input, column) ? 'yes' : 'no'
  return access.core?.[column] ?? (isLeftToPeople(name, column) || !isDoorOpen(access, column) ? 'no' : 'yes')
}

/** A program of this machine passes no door, but the core leaves to people what they alone may change over HTTP. */
function isLeftToPeople(name: OperationName, column: AccessRole): boolean {
  const { access, kind } = OPERATIONS[name]
  return column === 'named' && access.to === 'people' && kind !== 'reads' && kind !== 'waits'
}

/** Whether `operations/access.ts` lets a caller through. A local caller passes no door. */
function isDoorOpen({ to }: Access, column: AccessRole): boolean {
  if (isDoorless(column)) return true
  if (column === 'person') return to !== 'admin'
  if (to === 'admin' || to === 'people') return false
  if (column === 'service') return to !== 'insiders'
  return column === 'agent' || (to !== 'own' && to !== 'session')
}

function mayMatch({ needsPerson }: Access, input: InputCondition, column: AccessRole): boolean {
  return isDoorless(column) || (column === 'person' && input === needsPerson)
}

function isDoorless(column: AccessRole): boolean {
  return column === 'local' || column === 'named' || column === 'admin'
}

const CELLS: Readonly<Record<AccessVerdict, string>> = { yes: 'yes', part: 'part', unseen: 'unseen', no: '–' }

export function formatAccessTable(): string {
  const columns = Object.keys(COLUMNS) as readonly Column[]
  const lines = [
    ['operation', ...Object.values(COLUMNS)],
    ['---', ...columns.map(() => '---')],
    ...ACCESS_ROWS.map((row) => [labelOf(row), ...columns.map((column) => CELLS[verdictOf(row, column)])]),
  ]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function labelOf({ name, input }: AccessRow): string {
  if (!input) return `\`${name}\``
  return `\`${name}\` with \`${input.field}\`${typeof input.is === 'string' ? ` \`${input.is}\`` : ''}`
}

export const BEGIN = '<!-- The table of access: made by scripts/access-table.ts. -->'
export const END = '<!-- The end of the table of access. -->'

/** The text of a page with the present table between its two marks. */
export function withAccessTable(page: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error('the page has no place for the table')
  return `${page.slice(0, begin)}${BEGIN}\n\n${formatAccessTable()}\n\n${page.slice(end)}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = fileURLToPath(new URL('../SECURITY.md', import.meta.url))
  writeFileSync(path, withAccessTable(readFileSync(path, 'utf8')))
}
