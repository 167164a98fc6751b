import { read, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { answerHook } from '../hooks/hook.ts'
import { findHost, parseStopCap } from '../hooks/hosts/hosts.ts'
import { readConfig } from '../host/config.ts'
import { noteFault } from '../host/hook-log.ts'
import { randomToken } from '../kit/node/crypto.ts'
import { hostProcessAbove } from '../kit/node/host-process.ts'
import { EXIT } from '../model/errors.ts'
import { HOOK_FORM } from './hook-form.ts'
import { parseArgs } from './parse.ts'

const NONCE_LENGTH = 12
const MAX_INPUT_BYTES = 16 * 1024 * 1024
const INPUT_MS = 1_200

/** Our process began a little before Node could tell the time. */
const START_MS = 20

/**
 * Answers one event of a host, from standard input to standard output. Undefined where the words ask for something else
 * than that. It ends with 0 whatever happens: a host takes other codes for a refusal.
 */
export function runHook(argv: readonly string[]): Promise<number> | undefined {
  const words = argv.slice(1)
  if (words.includes('--rewake') || words.includes('--help') || words.includes('-h')) return undefined
  return answer(words)
    .catch(() => {})
    .then(leave)
}

/** Nothing that is still under way may keep the host waiting. */
function leave(): never {
  process.exit(EXIT.ok)
}

async function answer(words: readonly string[]): Promise<void> {
  const args = parseArgs(HOOK_FORM, words)
  const { env } = process
  const [home, store] = [args.get('home'), args.get('store')]
  const cwd = process.cwd()
  const flags = { ...(home !== undefined && { home }), ...(store !== undefined && { store }) }
  const config = readConfig({ flags, env, cwd })
  const name = args.get('host') ?? ''
  const host = findHost(name)
  const input = await readInput()
  if (!host) {
    noteFault(config.home, { at: new Date().toISOString(), host: name, event: '', fault: 'there is no such host' })
    return
  }
  const { drainMessages, drainCharacters } = config.limits
  await answerHook({
    host,
    agent: env['POSTERN_AGENT'] || args.get('agent') || undefined,
    input,
    config,
    cwd,
    settings: {
      drainMessages,
      drainCharacters,
      stopCap: parseStopCap(host, host.stopCapVariable === null ? undefined : env[host.stopCapVariable]),
      ageMs: () => performance.now() + START_MS,
      nonce: () => randomToken(NONCE_LENGTH),
      hostProcess: () => hostProcessAbove(process.pid),
      markers: findMarkers,
    },
  })
}

/** Reads to the end, or for as long as there is time: a host that never closes its end is answered all the same. */
function readInput(): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      resolve(Buffer.concat(chunks).toString('utf8'))
    }
    const timer = setTimeout(done, INPUT_MS)
    const next = () => {
      read(0, Buffer.allocUnsafe(64 * 1024), 0, 64 * 1024, null, (error, count, buffer) => {
        if (error?.code === 'EAGAIN') return setTimeout(next, 5)
        if (error || count === 0) return done()
        chunks.push(buffer.subarray(0, count))
        bytes += count
        return bytes > MAX_INPUT_BYTES ? done() : next()
      })
    }
    next()
  })
}

/** Markers of the seed's kind: `.runtime/gates/<session>/<gate>`. Those of an earlier session lie elsewhere. */
function findMarkers(root: string, sessionId: string): readonly string[] {
  if (!/^[\w-]{1,200}$/.test(sessionId)) return []
  try {
    return readdirSync(join(root, '.runtime', 'gates', sessionId))
  } catch {
    return []
  }
}
