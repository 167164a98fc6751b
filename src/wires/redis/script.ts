import { createHash } from 'node:crypto'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import type { RedisClient } from './connection.ts'

/** A piece of Lua, which the server runs as one step. */
export interface Script {
  readonly text: string
  readonly sha: string
}

export function createScript(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

/** Runs a script by its hash; a server that has forgotten it, as after a restart, is sent the text. */
export async function runScript(
  client: RedisClient,
  { text, sha }: Script,
  params: { readonly keys: readonly string[]; readonly args: readonly string[] },
): Promise<unknown> {
  const options = { keys: [...params.keys], arguments: [...params.args] }
  try {
    return await client.evalSha(sha, options)
  } catch (error) {
    if (!reasonOf(error).includes('NOSCRIPT')) throw error
    return client.eval(text, options)
  }
}

/** The keys of an agent: seed 001's list, and ours beside it. */
export function keysOf(agent: string) {
  const list = `inbox:${agent}`
  return {
    list,
    /** What was taken from the list and is not in the store yet. */
    taking: `${list}:taking`,
    /** What could not be read. */
    refused: `${list}:refused`,
    /** Ids of what we have put into the list. */
    out: `${list}:out`,
    /** The server that puts into the list. */
    outlet: `${list}:outlet`,
  } as const
}
