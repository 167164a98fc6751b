import type { RedisWire } from './redis-wire.ts'
import { createScript, keysOf, runScript } from './script.ts'

/** An entry of a foreign producer's list, on its way into the store. */
export interface ListEntry {
  /** Names this entry, and no other, however often it is handed over. */
  readonly ticket: string
  readonly text: string
}

export interface TakenBatch {
  readonly entries: readonly ListEntry[]
  /** Entries that were put aside because they are too large to be looked at. */
  readonly oversized: number
  /** Why nothing was taken, although there may be something. */
  readonly isBusy: 'taken' | 'outlet' | null
}

export interface Settlement {
  /** Tickets of what the store has now. */
  readonly done: readonly string[]
  /** Tickets of what nobody can be shown. */
  readonly refused: readonly string[]
}

/**
 * Takes entries from lists so that none is lost and their order stays:
 *
 *   list ─take→ taking ─settle→ (in the store) or refused
 *
 * What one server has taken and not settled keeps all others from that list, until it is so old that its server must have
 * died: then another is handed the same entries under the same tickets.
 */
export interface ListIntake {
  take(agent: string, options?: { readonly isLeftOnly?: boolean }): Promise<TakenBatch>
  settle(agent: string, settlement: Settlement): Promise<void>
  /** Which of these agents have something in their list, or were left something by a server that is gone. */
  look(agents: readonly string[], what: 'list' | 'taking'): Promise<readonly string[]>
}

const BATCH_ENTRIES = 200
const BATCH_BYTES = 4 * 1024 * 1024
const ENTRY_BYTES = 1024 * 1024
const REFUSED_KEPT = 1_000
/** To be too early is harmless: what two servers store under one ticket is one. */
const STALE_MS = 5_000
const LOOK_AGENTS = 1_000

export interface IntakeOptions {
  /** Names this run of this server: what an earlier run has left is a stranger's. */
  readonly taker: string
  /** After so long whoever has taken something and not settled it has died over it. */
  readonly staleMs?: number
}

export function createListIntake(use: RedisWire['use'], { taker, staleMs = STALE_MS }: IntakeOptions): ListIntake {
  return {
    async take(agent, { isLeftOnly = false } = {}) {
      const { list, taking, refused, out, outlet } = keysOf(agent)
      const count = isLeftOnly ? 0 : BATCH_ENTRIES
      const limits = [count, BATCH_BYTES, ENTRY_BYTES, staleMs, REFUSED_KEPT].map(String)
      const params = { keys: [list, taking, refused, out, outlet], args: [taker, ...limits] }
      return readBatch(await use((client) => runScript(client, TAKE, params)))
    },

    async settle(agent, { done, refused }) {
      const keys = keysOf(agent)
      const args = [String(REFUSED_KEPT), String(done.length), ...done, ...refused]
      await use((client) => runScript(client, SETTLE, { keys: [keys.taking, keys.refused], args }))
    },

    async look(agents, what) {
      const found: string[] = []
      for (let at = 0; at < agents.length; at += LOOK_AGENTS) {
        const slice = agents.slice(at, at + LOOK_AGENTS)
        const keys = slice.map((agent) => keysOf(agent)[what])
        found.push(
          ...(await use(async (client) => {
            if ((await client.exists(keys)) === 0) return []
            const each = await Promise.all(keys.map((key) => client.exists(key)))
            return slice.filter((_, index) => each[index] === 1)
          })),
        )
      }
      return found
    },
  }
}

function readBatch(reply: unknown): TakenBatch {
  const [state, oversized, pairs] = reply as [string, number, string[]]
  if (state !== 'taken') return { entries: [], oversized: 0, isBusy: state === 'outlet' ? 'outlet' : 'taken' }
  const entries: ListEntry[] = []
  for (let at = 0; at + 1 < pairs.length; at += 2) entries.push({ ticket: pairs[at] ?? '', text: pairs[at + 1] ?? '' })
  // A hash has no order, but tickets are made in the order of the list.
  return { entries: entries.sort((a, b) => (a.ticket < b.ticket ? -1 : 1)), oversized, isBusy: null }
}

/**
 * What is held already comes first. The agent's outlet, where a server is set to have one, keeps the list from everybody
 * here; where there is none any more, what it knew of the list is no longer true. A time that lies ahead is one of another
 * clock, as after a failover, and no proof of life.
 */
const TAKE = createScript(`
local list, taking, refused, out, outlet = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local taker, count, bytes, largest, stale, kept = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local stamp = taker .. ' ' .. string.format('%.0f', now)
local held = redis.call('HGETALL', taking)
if #held > 0 then
  local by, since = string.match(redis.call('HGET', taking, 'taker') or '', '^(%S+) (%d+)$')
  if by and by ~= taker and math.abs(now - tonumber(since)) < stale then return {'busy', 0, {}} end
  local pairs = {}
  for i = 1, #held, 2 do
    if held[i] ~= 'taker' then
      pairs[#pairs + 1] = held[i]
      pairs[#pairs + 1] = held[i + 1]
    end
  end
  if #pairs > 0 then
    redis.call('HSET', taking, 'taker', stamp)
    return {'taken', 0, pairs}
  end
  redis.call('DEL', taking)
end
if count == 0 then return {'taken', 0, {}} end
if redis.call('EXISTS', outlet) == 1 then return {'outlet', 0, {}} end
redis.call('DEL', out)
local pairs, size, oversized = {}, 0, 0
for i = 1, count do
  local text = redis.call('RPOP', list)
  if not text then break end
  if #text > largest then
    redis.call('LPUSH', refused, text)
    redis.call('LTRIM', refused, 0, kept - 1)
    oversized = oversized + 1
  else
    local ticket = time[1] .. string.format('%06d', tonumber(time[2])) .. '-' .. taker .. '-' .. string.format('%04d', i)
    redis.call('HSET', taking, ticket, text)
    pairs[#pairs + 1] = ticket
    pairs[#pairs + 1] = text
    size = size + #text
    if size >= bytes then break end
  end
end
if #pairs > 0 then redis.call('HSET', taking, 'taker', stamp) end
return {'taken', oversized, pairs}
`)

/** What is refused never leaves the server, so that it stays what it was to the last byte. */
const SETTLE = createScript(`
local taking, refused = KEYS[1], KEYS[2]
local kept, done = tonumber(ARGV[1]), tonumber(ARGV[2])
for i = 3, #ARGV do
  if i > 2 + done then
    local text = redis.call('HGET', taking, ARGV[i])
    if text then
      redis.call('LPUSH', refused, text)
      redis.call('LTRIM', refused, 0, kept - 1)
    end
  end
  redis.call('HDEL', taking, ARGV[i])
end
if redis.call('HLEN', taking) == redis.call('HEXISTS', taking, 'taker') then redis.call('DEL', taking) end
return 0
`)
