import type { OpenSystem, System, SystemOptions } from './system.ts'

/** Every contestant by the name that stands in the table, and where it lives. */
export const PLACES = {
  postern: 'folder',
  'postern agent()': 'folder',
  'postern served': 'server',
  'postern followed': 'server',
  'raw SQLite': 'folder',
  'append+fsync': 'folder',
  'Redis always': 'always',
  'Redis everysec': 'everysec',
  'BullMQ always': 'always',
  'BullMQ everysec': 'everysec',
  'postern on PostgreSQL': 'postgres',
  'raw INSERT': 'postgres',
  'raw INSERT+NOTIFY': 'postgres',
  'pg-boss': 'postgres',
  'pg-boss LISTEN': 'postgres',
  'graphile-worker': 'postgres',
  'postern over NATS': 'wired to NATS',
  'raw SQLite + NATS': 'wired to NATS',
  'postern over Redis': 'wired to Redis',
  'raw SQLite + Redis': 'wired to Redis',
} as const satisfies Record<
  string,
  'folder' | 'server' | 'always' | 'everysec' | 'postgres' | 'wired to NATS' | 'wired to Redis'
>

export type SystemName = keyof typeof PLACES

/** Loaded one by one, so that a process which needs only one is not weighed down by the others. */
const OPENERS: Readonly<Record<SystemName, () => Promise<OpenSystem>>> = {
  postern: async () => (await import('./postern.ts')).openPostern,
  'postern agent()': async () => (await import('./postern-agent.ts')).openPosternAgent,
  'postern served': async () => (await import('./posterns-server.ts')).openServed,
  'postern followed': async () => (await import('./posterns-server.ts')).openFollowed,
  'raw SQLite': async () => (await import('./raw-sqlite.ts')).openRawSqlite,
  'append+fsync': async () => (await import('./raw-file.ts')).openRawFile,
  'Redis always': async () => (await import('./redis-list.ts')).openRedisList,
  'Redis everysec': async () => (await import('./redis-list.ts')).openRedisList,
  'BullMQ always': async () => (await import('./bullmq.ts')).openBullMq,
  'BullMQ everysec': async () => (await import('./bullmq.ts')).openBullMq,
  'postern on PostgreSQL': async () => (await import('./postern-postgres.ts')).openPosternPostgres,
  'raw INSERT': async () => (await import('./raw-postgres.ts')).openRawPostgres(false),
  'raw INSERT+NOTIFY': async () => (await import('./raw-postgres.ts')).openRawPostgres(true),
  'pg-boss': async () => (await import('./pg-boss.ts')).openPgBoss(false),
  'pg-boss LISTEN': async () => (await import('./pg-boss.ts')).openPgBoss(true),
  'graphile-worker': async () => (await import('./graphile-worker.ts')).openGraphileWorker,
  'postern over NATS': async () => (await import('./postern-wired.ts')).openWired(true),
  'raw SQLite + NATS': async () => (await import('./raw-nats.ts')).openRawNats,
  'postern over Redis': async () => (await import('./postern-wired.ts')).openWired(false),
  'raw SQLite + Redis': async () => (await import('./raw-redis.ts')).openRawRedis,
}

export async function openSystem(name: SystemName, place: string, options: SystemOptions = {}): Promise<System> {
  const open = await OPENERS[name]()
  return open(place, options)
}
