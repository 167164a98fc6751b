import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { openPostgresStore } from '../../src/store/postgres/store.ts'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import '../helpers/global-postgres.ts'
import { needsPostgres } from '../helpers/needs.ts'
import { createDatabase } from '../helpers/postgres.ts'
import { temporaryFolder } from '../helpers/temp.ts'

/** Where the engines differ on purpose. Everything else must be the same, and an exception that is none fails too. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'column messages.tx': 'readers that follow all messages go by transactions, which only PostgreSQL has side by side',
  'column events.tx': 'followers of events go by transactions, which only PostgreSQL has side by side',
  'column events.seq': 'the key of an event is its number in SQLite, and its place in its transaction in PostgreSQL',
  'column event_floor.tx': 'numbers of events have no gaps in SQLite, so the first that is kept tells what was removed',
  'column event_floor.seq':
    'numbers of events have no gaps in SQLite, so the first that is kept tells what was removed',
  'column postern_schema.version': 'SQLite keeps the version of the schema in the head of its file',
  'column message_search.message_seq': 'the key of a full-text table of SQLite is its hidden rowid',
  'column message_search.words': 'a full-text table of SQLite, a column of words in PostgreSQL',
  'column message_search.message_search': 'the column through which a full-text table of SQLite is told things',
  'column message_search.rank': 'the column by which a full-text table of SQLite tells how well a row matches',
  'trigger inbox_pushed': 'the view of seed 003 takes an INSERT only in PostgreSQL, to which others connect',
  'trigger inbox_processed': 'and only there an UPDATE of what was processed',
  'trigger inbox_kept': 'and only there it has to say that nothing is deleted',
  'index message_search_words': 'a full-text table of SQLite is its own index',
}

const TYPES: Readonly<Record<string, string>> = {
  INTEGER: 'integer',
  TEXT: 'text',
  REAL: 'real',
  bigint: 'integer',
  integer: 'integer',
  text: 'text',
  'double precision': 'real',
}

type Schema = Map<string, string>

const adminUrl = inject('postgresUrl')

describe('the schema', needsPostgres(adminUrl), () => {
  it('has the same columns, indexes and triggers on both engines', async () => {
    const [sqlite, postgres] = [await readSqlite(), await readPostgres()]
    const different = [...new Set([...sqlite.keys(), ...postgres.keys()])].filter(
      (name) => sqlite.get(name) !== postgres.get(name),
    )
    const shown = (name: string) =>
      `${name}: ${sqlite.get(name) ?? 'absent'} in SQLite, ${postgres.get(name) ?? 'absent'} in PostgreSQL`
    expect(different.filter((name) => !(name in EXCEPTIONS)).map(shown)).toEqual([])
    expect(Object.keys(EXCEPTIONS).filter((name) => !different.includes(name))).toEqual([])
    expect(sqlite.size).toBeGreaterThan(80)
  })
})

async function readSqlite(): Promise<Schema> {
  const path = join(temporaryFolder(), 'postern.db')
  const store = await openSqliteStore({ path, now: Date.now, random: Math.random })
  await store.close()
  const database = new DatabaseSync(path)
  onTestFinished(() => database.close())
  const columns = database
    .prepare(
      `SELECT t.name AS "table", c.name, c.type, c."notnull" OR c.pk > 0 AS required, c.pk FROM pragma_table_list t, pragma_table_xinfo(t.name) c
       WHERE t.schema = 'main' AND t.type IN ('table', 'virtual') AND t.name NOT LIKE 'sqlite_%'`,
    )
    .all()
  const indexes = database
    .prepare(
      `SELECT i.name, s.sql, (SELECT group_concat(c.name) FROM (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno) c) AS columns,
         i."unique" FROM pragma_table_list t, pragma_index_list(t.name) i JOIN sqlite_schema s ON s.name = i.name
       WHERE t.schema = 'main' AND i.origin = 'c'`,
    )
    .all()
  const triggers = database.prepare(`SELECT name, tbl_name AS "table" FROM sqlite_schema WHERE type = 'trigger'`).all()
  return schemaOf(columns as unknown as Column[], indexes as unknown as Index[], triggers as unknown as Trigger[])
}

/** Without the triggers that pin \`synchronous_commit\`, which SQLite does not have. */
async function readPostgres(): Promise<Schema> {
  const database = await createDatabase(adminUrl)
  onTestFinished(() => database.drop())
  const store = await openPostgresStore({ url: database.url, random: Math.random })
  await store.close()
  const client = new Client({ connectionString: database.url })
  await client.connect()
  const columns = await client.query<Column>(
    `SELECT c.table_name AS "table", c.column_name AS name, c.data_type AS type, c.is_nullable = 'NO' AS required,
       coalesce(k.ordinal_position, 0)::int AS pk FROM information_schema.columns c
     JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
       AND t.table_type = 'BASE TABLE'
     LEFT JOIN information_schema.key_column_usage k ON k.table_name = c.table_name AND k.column_name = c.column_name
     WHERE c.table_schema = 'public'`,
  )
  const indexes = await client.query<Index>(
    `SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS sql, i.indisunique AS "unique",
       (SELECT string_agg(a.attname, ',' ORDER BY k.n) FROM unnest(i.indkey) WITH ORDINALITY AS k (attnum, n)
        JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum) AS columns
     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'public' AND NOT i.indisprimary`,
  )
  const triggers = await client.query<Trigger>(
    `SELECT t.tgname AS name, c.relname AS "table" FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
     WHERE NOT t.tgisinternal AND t.tgname NOT LIKE 'durable_%'`,
  )
  await client.end()
  return schemaOf(columns.rows, indexes.rows, triggers.rows)
}

interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly required: boolean | number
  readonly pk: number
}

interface Index {
  readonly name: string
  readonly sql: string
  readonly columns: string
  readonly unique: boolean | number
}

interface Trigger {
  readonly name: string
  readonly table: string
}

/** Everything there is, each by its name, in words that are the same for the same thing. */
function schemaOf(columns: readonly Column[], indexes: readonly Index[], triggers: readonly Trigger[]): Schema {
  const schema: Schema = new Map(triggers.map(({ name, table }) => [`trigger ${name}`, `on ${table}`]))
  for (const { table, name, type, required, pk } of columns) {
    if (/^message_search_/.test(table)) continue
    const key = pk > 0 ? `, part ${pk} of the key` : ''
    schema.set(`column ${table}.${name}`, `${TYPES[type] ?? type}${required ? ', required' : ''}${key}`)
  }
  for (const { name, columns: list, unique, sql } of indexes) {
    const isPartial = / WHERE /i.test(sql)
    schema.set(`index ${name}`, `(${list})${unique ? ', unique' : ''}${isPartial ? `, where ${conditionOf(sql)}` : ''}`)
  }
  return schema
}

/** PostgreSQL rewrites conditions: what counts are the words in them, whatever their order of brackets and casts. */
function conditionOf(sql: string): string {
  return sql
    .replace(/^.* WHERE /is, '')
    .replace(/::text(\[\])?/g, '')
    .replace(/= ANY \(ARRAY\[(.*?)\]\)/g, 'IN $1')
    .replace(/[()\s]+/g, ' ')
    .trim()
}
