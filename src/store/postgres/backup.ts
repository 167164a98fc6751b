import { spawn } from 'node:child_process'
import type { Pool } from 'pg'
import { createWhole } from '../../kit/node/whole-file.ts'
import { PosternError } from '../../model/errors.ts'
import { OUR_TABLES } from './migrate.ts'
import type { StoreUrl } from './url.ts'

export interface BackupOptions {
  readonly pool: Pool
  readonly url: StoreUrl
  readonly path: string
}

const KEPT_CHARACTERS = 2_000

/**
 * The password goes from our pipe into the environment of pg_dump: it stands in no command line, and no other
 * program of ours ever has it in its environment.
 */
const WITH_PASSWORD = 'IFS= read -r PGPASSWORD && export PGPASSWORD; exec "$0" "$@"'

/** Dumps our tables as they are at one moment into a new file, which appears whole or not at all. */
export async function backupTo({ pool, url, path }: BackupOptions): Promise<void> {
  const command = ['pg_dump', '--format=custom', '--no-password', '--no-owner', `--dbname=${url.location}`]
  try {
    const tables = (await ourTables(pool)).map((table) => `--table=${table}`)
    await createWhole(path, (partial) => dump([...command, ...tables, `--file=${partial}`], url.password))
  } catch (error) {
    throw backupError(error, path, [...command, `--file=${path}`].join(' '))
  }
}

/** The tables of the schema in which ours are, each by a name that means only itself. */
async function ourTables(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind = 'r' AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'postern_schema'::regclass)
       AND c.relname IN (${OUR_TABLES.map((name) => `'${name}'`).join(', ')}) ORDER BY 1`,
  )
  return rows.map(({ name }) => name)
}

function dump([program = '', ...args]: readonly string[], password: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const child =
      password === undefined
        ? spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'] })
        : spawn('sh', ['-c', WITH_PASSWORD, program, ...args], { stdio: ['pipe', 'ignore', 'pipe'] })
    let complaint = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-KEPT_CHARACTERS)
    })
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(complaint.trim() || `it ended with ${code}`)),
    )
    child.stdin.on('error', () => {})
    child.stdin.end(password === undefined ? '' : `${password}\n`)
  })
}

function backupError(error: unknown, path: string, command: string): PosternError {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EEXIST') return new PosternError('BACKUP_EXISTS', { path })
  const isAbsent = code === 'ENOENT' && message.startsWith('spawn')
  const reason = isAbsent ? 'the program pg_dump is not here' : message
  return new PosternError(
    'BACKUP_FAILED',
    { reason, next: `Run it where PostgreSQL's programs are: ${command}` },
    { cause: error },
  )
}
