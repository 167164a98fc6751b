import { inspectHome } from '../../../host/inspect.ts'
import { inspectFaults } from '../../../host/inspect-hooks.ts'
import { inspectSpools, projectRoot } from '../../../host/spool.ts'
import { inspectWire } from '../../../host/wires/inspect-wire.ts'
import { machineName } from '../../../kit/node/processes.ts'
import { asPosternError, EXIT } from '../../../model/errors.ts'
import type { HealthCheck } from '../../../model/postern.ts'
import { showField } from '../../../render/terminal.ts'
import type { Command, Io } from '../../shell/command.ts'
import { answer } from '../../shell/print.ts'
import { formatSupport, inspectHosts, listSupport } from './doctor-hosts.ts'
import { findPostable } from './post-server.ts'

const MAX_DETAIL = 2_000
const MAX_NAME = 100

export const doctor: Command = {
  path: 'doctor',
  isForAnyone: true,
  summary: 'Check the installation, the store and the hooks, and say what to do.',

  async run(io) {
    const { home } = io.config
    const project = projectRoot(process.cwd())
    const stored = await checkStore(io)
    const checks: HealthCheck[] = [
      ...inspectHome(io.config, process.cwd()),
      ...stored.checks,
      ...(await inspectWire(io.config, stored.agents)),
      ...inspectFaults(home),
      ...[...new Set([project, ...stored.projects])].flatMap((root) => inspectSpools(root, io.now())),
      ...(await inspectHosts({ home, project, server: findPostable(io) })),
    ]
    const ok = checks.every((check) => check.ok || check.level !== 'error')
    const hosts = listSupport()
    const text = [...checks.map(formatCheck), '', formatSupport(hosts, io.stdout.columns)].join('\n')
    answer(io, { ok, checks, hosts }, text)
    return ok ? EXIT.ok : EXIT.failed
  },
}

/** A check may come from a server, so each of its fields is somebody else's text. */
export function formatCheck({ name, ok, level, detail, next }: HealthCheck): string {
  const mark = ok ? 'ok  ' : level === 'error' ? 'FAIL' : level === 'warning' ? 'warn' : 'note'
  const advice = ok || !next ? '' : `\n       ${showField(next, MAX_DETAIL)}`
  return `${mark} ${showField(name, MAX_NAME).padEnd(20)} ${showField(detail, MAX_DETAIL)}${advice}`
}

interface Stored {
  readonly checks: readonly HealthCheck[]
  /** The roots of projects in which sessions are open on this machine. */
  readonly projects: readonly string[]
  /** Who is registered; undefined where that is not known. */
  readonly agents?: readonly string[]
}

/** A store that cannot be opened is a finding, not a failure of the doctor. */
async function checkStore(io: Io): Promise<Stored> {
  try {
    const postern = await io.open()
    const { checks } = await postern.upkeep.check()
    const sessions = await postern.sessions.list()
    const here = sessions.filter(({ machine }) => machine === machineName())
    const agents = (await postern.agents.list()).map(({ id }) => id)
    return { checks, projects: here.flatMap(({ project }) => project ?? []), agents }
  } catch (error) {
    const { message, next } = asPosternError(error)
    return {
      checks: [
        {
          name: io.config.url === null ? 'store.open' : 'server.open',
          ok: false,
          level: 'error',
          detail: message,
          next,
        },
      ],
      projects: [],
    }
  }
}
