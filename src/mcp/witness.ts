import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { within } from '../kit/clock/within.ts'
import { processStart } from '../kit/node/processes.ts'
import { formatProcess } from './left-offers.ts'

/**
 * A process that settles the last offers of a server that is killed before it can. Some clients send SIGTERM to the
 * server's process group and SIGKILL to the server a few milliseconds later: Codex does. The signal is the only evidence
 * that the client ended in good order, and it dies with the server. The witness is in the same process group and gets
 * the same SIGTERM. It is not the client's child, so the SIGKILL misses it.
 */
export interface Witness {
  /** Starts the witness. Resolves once it catches signals, or when it is clear that none will. */
  prepare(): Promise<void>
  /** Replaces the offers that the witness settles if this process is killed. */
  hold(offerIds: readonly string[]): void
  /** Records that the client ended in good order, so its offers are seen even if this process is killed now. */
  noteGoodOrder(): void
}

export interface WitnessOptions {
  /** The command that settles offers when the witness adds `--client`, `--in-good-order` and `--left`. */
  readonly command: readonly string[]
  readonly shell?: readonly string[]
}

const SHELL = ['/bin/sh']
const IN_GOOD_ORDER = '--in-good-order'
/** The shell splits the list into words. A remote server makes up its own ids, and one with a space would be an option. */
const OFFER_ID = /^\w+$/
/** A machine that takes longer answers the call without a witness. */
const READY_MS = 5_000

/**
 * Works in every POSIX shell. It reports that it is ready by a line, and lets go of stdout. Each line that it reads is the
 * whole list of offers, so the last one counts. A signal may interrupt `read`: some shells then lose the beginning of a
 * line, so a line without its `=` is skipped. The end of stdin is the end of the server, which has emptied the list if
 * it had the time to. The command takes a moment to start, and a second signal to the group kills it meanwhile: then it is
 * run again.
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
[ -n "$offers" ] || exit 0
set -- "$@" $signalled $offers
while :; do
  interrupted=
  "$@" </dev/null
  [ $? -gt 128 ] && [ -n "$interrupted" ] || break
done`

/** Returns undefined on Windows, which has no process groups and no SIGTERM. There the lease of an offer lapses. */
export function createWitness(options: WitnessOptions): Witness | undefined {
  if (process.platform === 'win32') return undefined
  const client = process.ppid
  let held: readonly string[] = []
  let isInGoodOrder = false
  let running: { readonly child: ChildProcess; readonly ready: Promise<void> } | undefined

  function start(): Promise<void> {
    const child = spawnWitness(options, clientOption(client))
    if (!child) return Promise.resolve()
    // The next call of `prepare` starts another one. A process that cannot be spawned reports an error and no exit.
    for (const event of ['exit', 'error']) {
      child.once(event, () => {
        running = undefined
      })
    }
    running = { child, ready: within(READY_MS, untilReady(child), undefined) }
    tell()
    return running.ready
  }

  /** One small write: the kernel takes it at once, and keeps it if this process is killed. */
  function tell(): void {
    const words = held.map((id) => `--left=${id}`)
    if (isInGoodOrder && words.length > 0) words.push(IN_GOOD_ORDER)
    running?.child.stdin?.write(`=${words.join(' ')}\n`)
  }

  return {
    prepare: () => running?.ready ?? start(),
    hold(offerIds) {
      held = offerIds.filter((id) => OFFER_ID.test(id))
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
      // The witness must not inherit the client's pipes: the client waits until every holder has closed them.
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
    // The system refused to start a process, so there is no witness, as on Windows.
    return undefined
  }
}

/** Names the client by pid and start time, because pids are reused. While it is our parent, its pid is its own. */
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
