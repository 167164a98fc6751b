import { statSync } from 'node:fs'
import { HOOKS_PATH } from '../../../hooks/install/posting.ts'
import type { OwnHook } from '../../../hooks/install/settings.ts'
import type { Target } from '../../../hooks/install/targets.ts'
import { formatProbe, parseProbed } from '../../../hooks/probe.ts'
import { reasonOf } from '../../../kit/pure/reason-of.ts'
import type { HealthCheck } from '../../../model/postern.ts'

/** Hooks of ours that post to a server, and where they stand. */
export interface PostingHook extends Pick<OwnHook, 'call' | 'token' | 'agent'> {
  readonly target: Target
  readonly path: string
}

const ASK_MS = 5_000
/** Far above what a server takes that is not busy. */
const SLOW_MS = 500

/** Whether the server answers that a host posts to. Only that of our own store is ever asked: a file may name any. */
export async function inspectPosting(hook: PostingHook, server: string | undefined): Promise<readonly HealthCheck[]> {
  const [address = ''] = hook.call.split(HOOKS_PATH)
  const { fault, tookMs } = address === server ? await ask(hook) : { fault: nobodyAt(address, server), tookMs: 0 }
  const { target, path, agent } = hook
  const init = `postern init --host ${target.host} --agent ${agent}`
  return [
    {
      name: `host.${target.host}.http`,
      ok: fault === null && tookMs <= SLOW_MS,
      level: 'warning',
      detail:
        fault === null
          ? `${address} answers for ${agent} in ${tookMs.toFixed(1)} ms (${path})`
          : `prompts and tools show ${agent} nothing, so its mail waits for the next start or stop: ${fault} (${path})`,
      next:
        fault === null
          ? 'Something keeps it waiting: see whether the machine or the store is busy.'
          : `Start it with "postern serve", or write the hooks anew: "${init} --http", or without it to run commands.`,
    },
    ...readers(hook),
  ]
}

function nobodyAt(address: string, server: string | undefined): string {
  return `no server of this store is at ${address}${server === undefined ? '' : `, but one is at ${server}`}`
}

async function ask({ call, token, agent }: PostingHook): Promise<{ fault: string | null; tookMs: number }> {
  const post = () =>
    fetch(call, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: formatProbe('/'),
      signal: AbortSignal.timeout(ASK_MS),
    })
  try {
    // The first one takes what only the first one takes: a connection.
    await (await post()).text()
    const startedAt = performance.now()
    const answer = await post()
    const text = await answer.text()
    const tookMs = performance.now() - startedAt
    if (answer.status === 401 || answer.status === 403) return { fault: 'the server does not take its token', tookMs }
    const probed = parseProbed(text)
    const fault = probed ? probed.fault : `the server answered with ${answer.status}`
    return { fault: probed && probed.agent !== agent ? `the token is that of ${probed.agent}` : fault, tookMs }
  } catch (error) {
    return { fault: `the server does not answer (${reasonOf(error)})`, tookMs: 0 }
  }
}

function readers({ target, path }: PostingHook): readonly HealthCheck[] {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  if ((mode & 0o044) === 0) return []
  return [
    {
      name: `host.${target.host}.token`,
      ok: false,
      level: 'warning',
      detail: `others can read ${path}, which holds a token`,
      next: `Keep it to yourself: chmod 600 ${path}`,
    },
  ]
}
