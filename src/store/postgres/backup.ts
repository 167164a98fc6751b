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
    const choice = await everythingOfOurs(pool)
    await createWhole(path, (partial) => dump([...command, ...choice, `--file=${partial}`], url.password))
  } catch (error) {
    throw backupError(error, path, [...command, `--file=${path}`].join(' '))
  }
}

/**
 * Our tables with the functions of their triggers, which come only with all that is not left out: so everything of
 * others is. Events, and how far they were carried, stay behind: they are in the order of this server's transactions, and mean nothing elsewhere.
 */
async function everythingOfOurs(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ option: string }>(
    `SELECT format('--exclude-schema=%I', o.nspname) AS option FROM pg_namespace o
     WHERE o.nspname <> 'information_schema' AND o.nspname !~ '^pg_' AND o.oid <> ${OUR_SCHEMA}
     UNION ALL SELECT format('--exclude-table=%I.%I', n.nspname, c.relname)
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.oid = ${OUR_SCHEMA}
       AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relname NOT IN (${OUR_TABLES.map((name) => `'${name}'`).join(', ')})
     UNION ALL SELECT format('--exclude-table-data=%I.%I', n.nspname, e.name)
     FROM pg_namespace n, (VALUES ('events'), ('event_floor'), ('relays')) AS e (name) WHERE n.oid = ${OUR_SCHEMA}`,
  )
  const ofDatabase = ['--extension=plpgsql', '--no-blobs', '--no-publications', '--no-subscriptions']
  return [...rows.map(({ option }) => option), ...ofDatabase]
}

const OUR_SCHEMA = `(SELECT relnamespace FROM pg_class WHERE oid = 'postern_schema'::regclass)`

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
