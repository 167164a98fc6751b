import { reasonOf } from '../../kit/pure/reason-of.ts'
import { PosternError } from '../../model/errors.ts'
import { consensusMs } from '../../model/ledger/entry.ts'
import type { LedgerStatus } from '../../model/ledger/ledgers.ts'
import { SEED_ROUTING } from '../../model/ledger/settings.ts'
import type { LedgerTopic } from '../../model/ledger/topic.ts'
import type { HealthCheck } from '../../model/postern.ts'
import type { Context, Ledgers } from '../context.ts'
import { endsUnfinished } from './intake/assemble.ts'
import { listenerLease, topicsToFollow } from './listen.ts'
import { ledgerStatus } from './status.ts'
import { targetsOf } from './work/post.ts'

const PATIENCE_MS = 3_000
const WEEK_MS = 7 * 24 * 60 * 60_000
const NAMES_SHOWN = 10

/** Checks whether the ledger can be used, what waits or was refused, and whether the routing names unknown agents. */
export async function checkLedger(ctx: Context): Promise<readonly HealthCheck[]> {
  try {
    const ledgers = await ctx.ledger()
    const status = await ledgerStatus(ctx)
    return [
      await whole(ctx, ledgers, status),
      ...parcels(status),
      ...budget(status),
      ...(await intake(ctx, ledgers)),
      ...(await routing(ctx, ledgers)),
    ]
  } catch (error) {
    if (!(error instanceof PosternError) || error.code.startsWith('STORE_')) throw error
    return [warning('ledger', error.message, error.next)]
  }
}

async function whole(ctx: Context, { ledger }: Ledgers, { topics }: LedgerStatus): Promise<HealthCheck> {
  const consensus = ledger.isPublic ? 'public consensus' : 'no public consensus'
  const name = ledger.kind === 'local' ? 'local ledger' : `ledger ${ledger.network}`
  const about = `${name}: ${consensus}, ${topics} ${topics === 1 ? 'topic' : 'topics'}`
  const trouble = ledger.kind === 'local' ? undefined : await troubleReaching(ctx, ledger)
  if (trouble === undefined) return { name: 'ledger', ok: true, level: 'warning', detail: about }
  return warning('ledger', `${about}; it cannot be reached: ${trouble}`, 'What is to be published waits, and goes on.')
}

/** Undefined if it answers in time. */
function troubleReaching(ctx: Context, ledger: Ledgers['ledger']): Promise<string | undefined> {
  return new Promise((resolve) => {
    const stop = ctx.timers.after(PATIENCE_MS, () => resolve('it does not answer'))
    const end = (trouble: string | undefined) => {
      stop()
      resolve(trouble)
    }
    ledger.account(ledger.operator).then(
      (account) => end(account ? undefined : `it knows no account ${ledger.operator}`),
      (error: unknown) => end(reasonOf(error)),
    )
  })
}

function parcels({ ledger, waiting, refused }: LedgerStatus): readonly HealthCheck[] {
  if (refused > 0) {
    const detail = `${refused} refused, ${waiting} on their way; see "postern ledger parcels"`
    return [warning('ledger.parcels', detail, 'Fix the reason, then "postern ledger retry <id>", or drop it.')]
  }
  if (ledger.kind === 'local' && waiting === 0) return []
  return [{ name: 'ledger.parcels', ok: true, level: 'warning', detail: `${waiting} on their way, none refused` }]
}

function budget({ spentToday, budgetPerDay }: LedgerStatus): readonly HealthCheck[] {
  if (budgetPerDay === null) return []
  const isLeft = spentToday < budgetPerDay
  const detail = `$${spentToday.toFixed(4)} of $${budgetPerDay.toFixed(2)} are spent today (UTC)`
  const next = 'Nothing more is published until tomorrow, unless you raise "ledger.budgetPerDay".'
  return [{ name: 'ledger.budget', ok: isLeft, level: 'warning', detail, next }]
}

/** Topics in trouble, and entries that are held but not taken in because their listener has stopped. */
async function intake(ctx: Context, { ledger }: Ledgers): Promise<readonly HealthCheck[]> {
  if (ledger.kind === 'local') return []
  const followed = await topicsToFollow(ctx, ledger.network)
  const topics = (await ctx.store.read.ledger.listTopics({ network: ledger.network })).filter(({ id }) =>
    followed.has(id),
  )
  if (topics.length === 0) return []
  return [
    ...(await listening(ctx, ledger.network)),
    ...stopped(topics),
    ...behind(topics),
    ...(await unfinished(ctx, topics)),
  ]
}

async function listening({ store }: Context, network: string): Promise<readonly HealthCheck[]> {
  const lease = await store.read.relays.get({ name: listenerLease(network) })
  if (lease && lease.heldUntil > store.now()) return []
  const detail = 'nobody listens to it: nothing comes from it, and what could not be published at once waits'
  return [warning('ledger.listening', detail, 'Let "postern serve" run, or "postern ledger listen".')]
}

function stopped(topics: readonly LedgerTopic[]): readonly HealthCheck[] {
  const troubled = topics.flatMap(({ id, trouble }) => (trouble === null ? [] : [`${id} (${trouble})`]))
  if (troubled.length === 0) return []
  const next =
    'The mirror does not have all entries ("gap"), or not as they were written ("broken"): name another by "ledger.mirror".'
  return [warning('ledger.stopped', `nothing more is taken from ${shown(troubled)}`, next)]
}

function behind(topics: readonly LedgerTopic[]): readonly HealthCheck[] {
  const stuck = topics.filter(({ sequence, takenIn }) => takenIn < sequence).map(({ id }) => id)
  if (stuck.length === 0) return []
  const next = 'Let a server run, or "postern ledger listen"; what it says tells the reason.'
  return [warning('ledger.intake', `entries of ${shown(stuck)} are held and not taken in`, next)]
}

async function unfinished({ store }: Context, topics: readonly LedgerTopic[]): Promise<readonly HealthCheck[]> {
  const now = store.now()
  const ids: string[] = []
  for (const topic of topics) {
    const isRecent = topic.consensusAt !== null && now - consensusMs(topic.consensusAt) < WEEK_MS
    if (isRecent && (await endsUnfinished(store.read, topic, now))) ids.push(topic.id)
  }
  if (ids.length === 0) return []
  const next = 'It can no longer be put together: let its writer write it again.'
  return [warning('ledger.unfinished', `a message on ${shown(ids)} lacks parts that never came`, next)]
}

/** The seed's own table names people whom not everybody has: it counts once there are work items, or another table. */
async function routing(ctx: Context, { ledger, settings }: Ledgers): Promise<readonly HealthCheck[]> {
  const names = Object.values(settings.routing).flatMap(({ to }) => to)
  const { unknown } = await targetsOf(ctx.store.read, names, '')
  if (unknown.length === 0) return []
  const isOurs = settings.routing === SEED_ROUTING || JSON.stringify(settings.routing) === JSON.stringify(SEED_ROUTING)
  const work = isOurs ? await ctx.store.read.ledger.listTopics({ network: ledger.network, role: 'work' }) : []
  if (isOurs && work.length === 0) return []
  const detail = `"ledger.routing" names agents that are not registered and are told nothing: ${shown(unknown)}`
  return [warning('ledger.routing', detail, 'Register them with "postern agent add <name>", or fix the configuration.')]
}

function shown(names: readonly string[]): string {
  return `${names.slice(0, NAMES_SHOWN).join(', ')}${names.length > NAMES_SHOWN ? ' and more' : ''}`
}

function warning(name: string, detail: string, next: string): HealthCheck {
  return { name, ok: false, level: 'warning', detail, next }
}
