import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { processStart } from '../kit/node/processes.ts'
import { within } from '../kit/node/within.ts'
import { formatProcess } from './left-offers.ts'

/**
 * A process that settles the last offers of a server that is killed before it can. Some clients send SIGTERM to the
 * server's process group and SIGKILL to the server a few milliseconds later: Codex does. The signal is the only evidence
 * that the client ended in good order, and it dies with the server. The witness is in the same process group and gets
 * the same SIGTERM. It is no child of the client, so the SIGKILL spares it.
 */
export interface Witness {
  /** Starts the witness. Resolves once it catches signals, or where there can be none. */
  prepare(): Promise<void>
  /** Replaces the offers that are to be settled when this process ends. */
  hold(offerIds: readonly string[]): void
  /** The client has ended in good order: so the offers are seen, whatever becomes of this process and the client. */
  noteGoodOrder(): void
}

export interface WitnessOptions {
  /** Settles offers with the options `--client`, `--in-good-order` and `--left`. */
  readonly command: readonly string[]
  readonly shell?: readonly string[]
}

const SHELL = ['/bin/sh']
const IN_GOOD_ORDER = '--in-good-order'
/** A machine that takes longer answers the call without a witness. */
const READY_MS = 5_000

/**
 * Works in every POSIX shell. It reports that it is ready by a line, and lets go of stdout. Each line that it reads is the
 * whole list of offers, so the last one counts. A signal may interrupt `read`: some shells then lose the beginning of a
 * line, so a line without its `=` is skipped. The end of stdin is the end of the server, which has emptied the list if
 * it had the time to.
 */
const SCRIPT = `offers= signalled=
trap 'signalled=${IN_GOOD_ORDER} interrupted=yes' TERM INT HUP
echo
exec >/dev/null
while :; do
  interrupted=
  if IFS= read -r line; then
    case $line in =*) offers=\${line#=} ;; esac
  elif [ -z "$interrupted" ]; then
    break
  fi
done
[ -z "$offers" ] || exec "$@" $signalled $offers </dev/null`

/** Returns none on Windows, which has no process groups and no SIGTERM: there the lease of an offer lapses. */
export function createWitness(options: WitnessOptions): Witness | undefined {
  if (process.platform === 'win32') return undefined
  const client = process.ppid
  let held: readonly string[] = []
  let isInGoodOrder = false
  let running: { readonly child: ChildProcess; readonly ready: Promise<void> } | undefined

  function start(): Promise<void> {
    const child = spawnWitness(options, clientOption(client))
    if (!child) return Promise.resolve()
    // The next call starts another one.
    child.once('exit', () => {
      running = undefined
    })
    running = { child, ready: within(READY_MS, untilReady(child), undefined) }
    tell()
    return running.ready
  }

  /** One small write, which the kernel takes at once and keeps whatever becomes of this process. */
  function tell(): void {
    const words = held.map((id) => `--left=${id}`)
    if (isInGoodOrder && words.length > 0) words.push(IN_GOOD_ORDER)
    running?.child.stdin?.write(`=${words.join(' ')}\n`)
  }

  return {
    prepare: () => running?.ready ?? start(),
    hold(offerIds) {
      held = offerIds
      tell()
    },
    noteGoodOrder() {
      isInGoodOrder = true
      tell()
    },
  }
}

function spawnWitness({ command, shell = SHELL }: WitnessOptions, more: readonly string[]): ChildProcess | undefined {
  const [program = '', ...words] = shell
  try {
    const child = spawn(program, [...words, '-c', SCRIPT, 'postern', ...command, ...more], {
      // Nothing of the client's: it waits until all who hold its pipes are gone.
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    child.unref()
    for (const pipe of [child.stdin, child.stdout]) {
      pipe?.on('error', () => {})
      const socket = pipe as Socket | null
      socket?.unref()
    }
    return child
  } catch {
    // Without a process to spare nobody watches, as on Windows.
    return undefined
  }
}

/** The client by number and start: numbers are reused. While it is our parent, nobody else can have its number. */
function clientOption(pid: number): string[] {
  const startedAt = process.ppid === pid ? processStart(pid) : undefined
  return startedAt === undefined ? [] : [`--client=${formatProcess({ pid, startedAt })}`]
}

function untilReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.on('error', () => resolve())
    child.once('exit', () => resolve())
    child.stdout?.once('data', () => resolve())
  })
}
