import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { HealthCheck } from '../../model/postern.ts'
import type { Sql } from '../sql.ts'
import { checkClock } from './clock/check-clock.ts'
import type { StoreClock } from './clock/store-clock.ts'
import type { Connection } from './connection.ts'
import { SCHEMA_VERSION } from './schema.ts'
import { clearMark } from './suspect.ts'

const LOW_SPACE_BYTES = 200 * 1024 * 1024
const LARGE_LOG_BYTES = 64 * 1024 * 1024
const FULL = 2

/** What the embedded engine can say about itself. Files are only looked at, never opened: that would drop our locks. */
export async function checkConnection(
  connection: Connection,
  sql: Sql,
  clock: StoreClock | undefined,
): Promise<HealthCheck[]> {
  return [
    durability(connection),
    await integrity(connection, sql),
    completeness(connection),
    schema(connection),
    privacy(connection),
    space(connection),
    log(connection),
    checkClock(clock),
  ]
}

function durability(connection: Connection): HealthCheck {
  const journal = connection.pragma('journal_mode')
  const synchronous = connection.pragma('synchronous')
  return {
    name: 'store.durability',
    ok: journal === 'wal' && synchronous === FULL,
    level: 'error',
    detail: `journal_mode=${journal} synchronous=${synchronous === FULL ? 'FULL' : synchronous}`,
  }
}

/** Reads every page, so a server does it beside its other work. */
async function integrity({ path }: Connection, sql: Sql): Promise<HealthCheck> {
  const [verdict = null] = (await sql.get('PRAGMA quick_check(1)')) ?? []
  if (verdict === 'ok') clearMark(path)
  return {
    name: 'store.integrity',
    ok: verdict === 'ok',
    level: 'error',
    detail: `quick_check: ${verdict}`,
    next: 'Restore a backup with "postern restore <backup>". It keeps the damaged files aside.',
  }
}

function completeness(connection: Connection): HealthCheck {
  const [lost = 0] = connection.get(`SELECT value FROM counters WHERE name = 'lost'`) ?? []
  return {
    name: 'store.completeness',
    ok: lost === 0,
    level: 'warning',
    detail:
      lost === 0
        ? 'no acknowledged change is missing'
        : `${lost} acknowledged changes were missing when the store was opened`,
    next: 'The log was damaged, or an older copy was put in place: ask senders what they sent before that time. Then run "postern doctor --acknowledge-loss".',
  }
}

function schema(connection: Connection): HealthCheck {
  const version = connection.pragma('user_version')
  return {
    name: 'store.schema',
    ok: version === SCHEMA_VERSION,
    level: 'error',
    detail: `schema ${version} of ${SCHEMA_VERSION}`,
  }
}

function privacy({ path }: Connection): HealthCheck {
  const open = [path, dirname(path)].filter((each) => (statSync(each).mode & 0o077) !== 0)
  return {
    name: 'store.privacy',
    ok: open.length === 0,
    level: 'warning',
    detail: open.length === 0 ? 'only you can read it' : `other users can reach ${open.join(' and ')}`,
    next: `Take their rights away: chmod go= ${open.join(' ')}`,
  }
}

function space({ path }: Connection): HealthCheck {
  const { bavail, bsize } = statfsSync(dirname(path))
  const free = bavail * bsize
  return {
    name: 'store.space',
    ok: free > LOW_SPACE_BYTES,
    level: 'warning',
    detail: `${Math.round(free / 1024 / 1024)} MB free`,
    next: 'Make room on this disk: when it is full, pushes are refused.',
  }
}

function log({ path }: Connection): HealthCheck {
  const bytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  return {
    name: 'store.log',
    ok: bytes <= LARGE_LOG_BYTES,
    level: 'warning',
    detail: `write-ahead log of ${Math.round(bytes / 1024)} KB`,
    next: 'A process has kept a read open for long; find it among those that use the store.',
  }
}
