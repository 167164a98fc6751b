import { workingFolder } from '../../../host/config/working-folder.ts'
import { inspectHome } from '../../../host/inspect.ts'
import { inspectFaults } from '../../../host/inspect-hooks.ts'
import { inspectSpools, projectRoot } from '../../../host/spool.ts'
import { inspectWire } from '../../../host/wires/inspect-wire.ts'
import { machineName } from '../../../kit/node/processes.ts'
import { reasonOf } from '../../../kit/pure/reason-of.ts'
import { EXIT, PosternError } from '../../../model/errors.ts'
import type { HealthCheck } from '../../../model/postern.ts'
import { showField } from '../../../render/terminal.ts'
import type { Args, Command, Io } from '../../shell/command.ts'
import { answer } from '../../shell/print.ts'
import { formatSupport, inspectBypasses, inspectHosts, listSupport } from './doctor-hosts.ts'
import { inspectLostGates } from './lost-gates.ts'
import { findPostable } from './post-server.ts'

const MAX_DETAIL = 2_000
const MAX_NAME = 100

export const doctor: Command = {
  path: 'doctor',
  isForAnyone: true,
  toleratesConfig: true,
  summary: 'Check the installation, the store and the hooks, and say what to do.',

  options: [
    { name: 'full', summary: 'check everything that is stored, which takes as long as reading it' },
    { name: 'acknowledge-loss', summary: 'stop warning about the losses found so far' },
  ],
  examples: ['postern doctor', 'postern doctor --full'],

  async run(io, args) {
    const { home } = io.config
    const project = projectRoot(workingFolder())
    if (args.has('acknowledge-loss')) await (await import('./tend-store.ts')).requirePerson(io, args)
    const isTended = args.has('full') || args.has('acknowledge-loss')
    const verified = isTended ? await attempt('store.contents', () => tendStore(io, args)) : []
    const stored = await checkStore(io)
    const checks: HealthCheck[] = [
      ...configChecks(io),
      ...(await attempt('home.folder', () => inspectHome(io.config, workingFolder()))),
      ...stored.checks,
      ...verified,
      ...(await attempt('wire', () => inspectWire(io.config, stored.agents))),
      ...(await attempt('hooks.faults', () => inspectFaults(home))),
      ...(await attempt('spool.waiting', () => inspectAllSpools([project, ...stored.projects], io.now()))),
      ...(await attempt('gates.lost', () => inspectLostGates(io))),
      ...(await attempt('gates.bypassed', () => inspectBypasses(home))),
      ...(await attempt('hosts', () => inspectHosts({ home, project, server: findPostable(io) }))),
    ]
    const ok = checks.every((check) => check.ok || check.level !== 'error')
    const hosts = listSupport()
    const text = [...checks.map(formatCheck), '', formatSupport(hosts, io.stdout.columns)].join('\n')
    answer(io, { ok, checks, hosts }, text)
    return ok ? EXIT.ok : EXIT.failed
  },
}

/** An inspection that fails is a finding of its own: the others still say what they can. */
async function attempt(
  name: string,
  inspect: () => readonly HealthCheck[] | Promise<readonly HealthCheck[]>,
): Promise<readonly HealthCheck[]> {
  try {
    return await inspect()
  } catch (error) {
    return [finding(name, error)]
  }
}

/** An error that Postern does not know is mostly one of the file system, so it is told as it is. */
function finding(name: string, error: unknown): HealthCheck {
  const isKnown = error instanceof PosternError && error.code !== 'INTERNAL'
  const detail = isKnown ? error.message : `this could not be checked: ${reasonOf(error)}`
  const next = isKnown ? error.next : 'Run doctor as the user whose files these are, and check who may read them.'
  return { name, ok: false, level: 'error', detail, next }
}

/** Without its configuration the doctor looks at what is there by default. */
function configChecks({ configFault }: Io): readonly HealthCheck[] {
  if (!configFault) return []
  const { message, next } = configFault
  const detail = `${message} What follows is checked as if nothing were set.`
  return [{ name: 'config.read', ok: false, level: 'error', detail, next }]
}

function inspectAllSpools(roots: readonly string[], now: number): readonly HealthCheck[] {
  return [...new Set(roots)].flatMap((root) => inspectSpools(root, now))
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

/** Loaded on use: both are rare. A store that cannot be opened is told of by the checks. */
async function tendStore(io: Io, args: Args): Promise<readonly HealthCheck[]> {
  const { acknowledgeLoss, verifyContents } = await import('./tend-store.ts')
  if (args.has('acknowledge-loss')) await acknowledgeLoss(io.config)
  return args.has('full') ? verifyContents(io.config) : []
}

/** A store that cannot be opened is a finding, not a failure of the doctor. */
async function checkStore(io: Io): Promise<Stored> {
  try {
    // The store that is meant may be another one, so none is made.
    const postern = await io.open(io.configFault ? { mustExist: true } : {})
    const { checks } = await postern.upkeep.check()
    const sessions = await postern.sessions.list()
    const here = sessions.filter(({ machine }) => machine === machineName())
    const agents = (await postern.agents.list()).map(({ id }) => id)
    return { checks, projects: here.flatMap(({ project }) => project ?? []), agents }
  } catch (error) {
    return { checks: [finding(io.config.url === null ? 'store.open' : 'server.open', error)], projects: [] }
  }
}
