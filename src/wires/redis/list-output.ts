import type { RedisWire } from './redis-wire.ts'
import { createScript, keysOf, runScript } from './script.ts'

/** A list from which foreign consumers pop, and what we know of it. */
export interface ListOutput {
  /**
   * Takes or keeps the right to fill the list, for some seconds. Undefined while another server has it. Tells what has been
   * popped and was not forgotten yet; what did not leave by the right end only where the whole list is read.
   */
  look(agent: string, reading?: ListReading): Promise<ListOutputState | undefined>
  /** Ids of everything that was put in and not forgotten. */
  held(agent: string): Promise<ReadonlySet<string>>
  /** Puts in what fits, in this order, and nothing that is held; says how many. None where another server has the right. */
  put(agent: string, events: readonly OutputEvent[]): Promise<number>
  /** What was popped, and is known in the store to have been. */
  forget(agent: string, ids: readonly string[]): Promise<void>
  /** Takes out what is to be read no more, and forgets it. */
  withdraw(agent: string, ids: readonly string[]): Promise<void>
  /** Gives the right back. */
  leave(agent: string): Promise<void>
}

/** How much of the list is read: its ends; all of it where they do not account for everything; or all of it in any case. */
export type ListReading = 'ends' | 'if-needed' | 'whole'

export interface ListOutputState {
  readonly popped: readonly string[]
  /** The whole list was read for it. */
  readonly wasRead: boolean
  /** How many are held, popped ones too. */
  readonly held: number
  /** How many more fit in; below zero where others have pushed too. */
  readonly room: number
}

/** Seed 001's JSON, which begins with `{"eventId":"` and the id of a message. */
export interface OutputEvent {
  readonly id: string
  readonly text: string
}

const LEASE_MS = 5_000

export interface OutputOptions {
  /** Names this run of this server. */
  readonly server: string
  /** How many entries a list may have. */
  readonly max: number
  /** How long the right to fill a list lasts. */
  readonly leaseMs?: number
}

export function createListOutput(
  use: RedisWire['use'],
  { server, max, leaseMs = LEASE_MS }: OutputOptions,
): ListOutput {
  const run = (script: Parameters<typeof runScript>[1], agent: string, args: readonly string[]) => {
    const { list, out, outlet } = keysOf(agent)
    const all = [server, String(leaseMs), String(max), ...args]
    return use((client) => runScript(client, script, { keys: [list, out, outlet], args: all }))
  }
  return {
    async look(agent, reading = 'if-needed') {
      const reply = (await run(LOOK, agent, [reading])) as [number, number, string[], number] | null
      if (reply === null) return undefined
      const [held, length, popped, wasRead] = reply
      return { popped, wasRead: wasRead === 1, held, room: max - length }
    },
    async held(agent) {
      return new Set(await use((client) => client.hKeys(keysOf(agent).out)))
    },
    async put(agent, events) {
      if (events.length === 0) return 0
      return Number(
        await run(
          PUT,
          agent,
          events.flatMap(({ id, text }) => [id, text]),
        ),
      )
    },
    async forget(agent, ids) {
      if (ids.length > 0) await use((client) => client.hDel(keysOf(agent).out, [...ids]))
    },
    async withdraw(agent, ids) {
      if (ids.length > 0) await run(WITHDRAW, agent, ids)
    },
    async leave(agent) {
      await run(LEAVE, agent, [])
    },
  }
}

const ARGUMENTS = `
local list, out, outlet = KEYS[1], KEYS[2], KEYS[3]
local server, lease, max = ARGV[1], ARGV[2], tonumber(ARGV[3])
local function idOf(text) return string.match(text, '^{"eventId":"(msg_%w+)"') end
`

/**
 * Popped is what is held and no longer in the list. Whatever was put in before the entry at the right end is. The numbers
 * of held entries grow from right to left, so where both ends are held and no number outside them is, the lengths tell
 * whether that is all. A length alone tells nothing: others push to the list as well, perhaps as much as is popped. What
 * the ends cannot account for is found only by reading the list, which takes the server long where the list is.
 */
const LOOK = createScript(`${ARGUMENTS}
local leader = redis.call('GET', outlet)
if leader and leader ~= server then return false end
redis.call('SET', outlet, server, 'PX', lease)
local reading = ARGV[4]
local length = redis.call('LLEN', list)
local held = redis.call('HLEN', out)
if length == 0 then return {held, length, redis.call('HKEYS', out), 0} end
local function numberAt(place)
  local id = idOf(redis.call('LINDEX', list, place))
  return id and tonumber(redis.call('HGET', out, id))
end
local first, last = numberAt(-1), numberAt(0)
local isRun = first and last and last - first + 1 == held
if isRun and held == length and reading ~= 'whole' then return {held, length, {}, 0} end
local popped, newest = {}, nil
if first then
  local all = redis.call('HGETALL', out)
  for i = 1, #all, 2 do
    local number = tonumber(all[i + 1]) or first
    if number < first then popped[#popped + 1] = all[i] end
    newest = math.max(newest or number, number)
  end
end
local isAll = first and last == newest and held - #popped == length
if reading == 'ends' or (isAll and reading ~= 'whole') then return {held, length, popped, 0} end
local present = {}
for _, text in ipairs(redis.call('LRANGE', list, 0, -1)) do
  local id = idOf(text)
  if id then present[id] = true end
end
popped = {}
for _, id in ipairs(redis.call('HKEYS', out)) do
  if not present[id] then popped[#popped + 1] = id end
end
return {held, length, popped, 1}
`)

/**
 * Only for whoever has the right now: what another has read from the store meanwhile may be older. What is held has a
 * number that grows from the right end of the list to the left.
 */
const PUT = createScript(`${ARGUMENTS}
if redis.call('GET', outlet) ~= server then return 0 end
local count = 0
local length = redis.call('LLEN', list)
local newest = length > 0 and idOf(redis.call('LINDEX', list, 0))
local number = newest and tonumber(redis.call('HGET', out, newest))
if not number then
  number = 0
  for _, each in ipairs(redis.call('HVALS', out)) do number = math.max(number, tonumber(each) or 0) end
end
for i = 4, #ARGV, 2 do
  if length >= max then break end
  if redis.call('HSETNX', out, ARGV[i], string.format('%.0f', number + 1)) == 1 then
    number = number + 1
    length = redis.call('LPUSH', list, ARGV[i + 1])
    count = count + 1
  end
end
return count
`)

/** The list is written anew: to look for each entry by itself takes as often as long. */
const WITHDRAW = createScript(`${ARGUMENTS}
if redis.call('GET', outlet) ~= server then return 0 end
local wanted, kept = {}, {}
for i = 4, #ARGV do wanted[ARGV[i]] = true end
local all = redis.call('LRANGE', list, 0, -1)
for _, text in ipairs(all) do
  local id = idOf(text)
  if id and wanted[id] then redis.call('HDEL', out, id) else kept[#kept + 1] = text end
end
if #kept == #all then return 1 end
redis.call('DEL', list)
for _, text in ipairs(kept) do redis.call('RPUSH', list, text) end
return 1
`)

const LEAVE = createScript(`${ARGUMENTS}
if redis.call('GET', outlet) == server then redis.call('DEL', outlet) end
return 1
`)
