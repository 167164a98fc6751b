import { lstatSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { HOST_ABILITIES, type HostAbility, type Support } from '../../../hooks/hosts/host.ts'
import { HOSTS } from '../../../hooks/hosts/hosts.ts'
import { formatCommand, formatLauncherWord, LAUNCHER, quoteWord } from '../../../hooks/install/command-line.ts'
import { readSettings } from '../../../hooks/install/files.ts'
import { findSettings } from '../../../hooks/install/install.ts'
import { readRecord } from '../../../hooks/install/record.ts'
import { listHooks, type OwnHook, understand } from '../../../hooks/install/settings.ts'
import { type Places, SCOPES, TARGETS, type Target } from '../../../hooks/install/targets.ts'
import { findLeft } from '../../../hooks/pending.ts'
import { formatProbe, parseProbed } from '../../../hooks/probe.ts'
import { findBypasses } from '../../../hooks/shadows.ts'
import { runCommand } from '../../../kit/node/run-command.ts'
import { reasonOf } from '../../../kit/pure/reason-of.ts'
import type { HealthCheck } from '../../../model/postern.ts'
import { formatTable } from '../../shell/table.ts'
import { inspectPosting } from './inspect-posting.ts'

/** What each host can do with us, and how well that is known. */
export type HostMatrix = Readonly<Record<string, Readonly<Record<HostAbility, Support>>>>

export function listSupport(): HostMatrix {
  return Object.fromEntries(Object.values(HOSTS).map(({ name, support }) => [name, support]))
}

export function formatSupport(matrix: HostMatrix, columns: number): string {
  const rows = Object.entries(matrix).map(([host, support]) => [host, ...HOST_ABILITIES.map((each) => support[each])])
  return formatTable(['HOST', ...HOST_ABILITIES.map((each) => each.toUpperCase())], rows, columns)
}

/** Hooks of ours in a host's settings. */
interface Installed {
  readonly target: Target
  readonly path: string
  readonly agent: string
  /** One of the commands, of those that always ask. */
  readonly command: string
}

const PROBE_MS = 5_000
/** A host waits far longer, but its agent stands still meanwhile. */
const SLOW_MS = 1_500

export interface Inspected {
  readonly home: string
  readonly project: string
  /** Where the server of this store listens, if one runs. */
  readonly server: string | undefined
}

/** Runs the very commands that hosts run, for every host whose settings name us. Only our own launcher is ever run. */
export async function inspectHosts({ home, project, server }: Inspected): Promise<HealthCheck[]> {
  const checks: HealthCheck[] = []
  for (const { path, target, problem, hooks, posts } of TARGETS.flatMap((each) => settingsOf(each, home, project))) {
    if (problem !== undefined) checks.push(unreadable(target, path, problem))
    for (const installed of hooks)
      checks.push(isOwn(installed, home) ? await probe(installed, project) : foreign(installed))
    for (const post of posts) checks.push(...(await inspectPosting({ target, path, ...post }, server)))
    if (hooks.length > 0 && target.host === 'codex') checks.push(trust(target))
  }
  return checks
}

interface Settings {
  readonly target: Target
  readonly path: string
  readonly problem?: string
  readonly hooks: readonly Installed[]
  /** For each agent one of those that post to a server. */
  readonly posts: readonly OwnHook[]
}

/** The user's file, the project's, and whatever file was changed by `init` elsewhere. */
function settingsOf(target: Target, home: string, project: string): readonly Settings[] {
  const places = placesOf(target, project)
  const elsewhere = Object.entries(readRecord(home)).flatMap(([path, { host }]) => (host === target.host ? [path] : []))
  const files = { user: target.userFile(places), project: target.projectFile(places) }
  const readers = [
    ...SCOPES.map((scope) => ({ file: files[scope], read: () => findSettings(target, scope, places) })),
    ...elsewhere.map((file) => ({ file, read: () => readSettings(file, null) })),
  ]
  const found = new Map<string, Settings>()
  for (const { file, read } of readers) {
    try {
      const { path, text } = read()
      if (!found.has(path) && text !== null) found.set(path, { target, path, ...hooksIn(target, path, text, home) })
    } catch (error) {
      // A host that the user never set up is no trouble.
      if (!found.has(file) && (elsewhere.includes(file) || isThere(file)))
        found.set(file, { target, path: target.host, problem: reasonOf(error), hooks: [], posts: [] })
    }
  }
  return [...found.values()]
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

function placesOf({ folderVariable }: Target, project: string): Places {
  const moved = folderVariable === null ? undefined : process.env[folderVariable]
  return { userHome: homedir(), project, moved: moved || undefined }
}

function hooksIn(target: Target, path: string, text: string, home: string): Pick<Settings, 'hooks' | 'posts'> {
  const own = listHooks(understand(text, path), { target, home })
  const agents = [...new Set(own.map(({ agent }) => agent))]
  const first = (test: (hook: OwnHook) => boolean) =>
    agents.flatMap((agent) => own.find((hook) => hook.agent === agent && test(hook)) ?? [])
  const full = first(({ call, token }) => token === null && call.endsWith(' full'))
  return {
    hooks: full.map(({ agent, call }) => ({ target, path, agent, command: call })),
    posts: first(({ token }) => token !== null),
  }
}

/** The settings of a project come with it, from wherever it was cloned: what they call ours may be anything. */
function isOwn({ target, agent, command }: Installed, home: string): boolean {
  const usual = '$HOME/.postern/bin/hook'
  const words = [usual, `"${usual}"`, quoteWord(join(home, LAUNCHER)), formatLauncherWord(home, homedir(), target)]
  return words.some((launcher) => command === formatCommand({ launcher, host: target.host, agent, word: 'full' }))
}

function foreign({ target, path, command }: Installed): HealthCheck {
  return {
    name: `host.${target.host}`,
    ok: false,
    level: 'warning',
    detail: `${path} calls a launcher that is not the one of this home, so it was not tried: ${command}`,
    next: 'See that it is yours, or take it out.',
  }
}

async function probe({ target, path, agent, command }: Installed, project: string): Promise<HealthCheck> {
  const startedAt = performance.now()
  const { exitCode, output } = await runCommand(command, {
    folder: project,
    timeoutMs: PROBE_MS,
    input: formatProbe(project),
  })
  return describeProbe({ host: target.host, path, agent }, { output, exitCode, tookMs: performance.now() - startedAt })
}

export interface ProbedHook {
  readonly host: string
  readonly path: string
  readonly agent: string
}

export interface ProbeOutcome {
  readonly output: string
  readonly exitCode: number | null
  readonly tookMs: number
}

/** The health check of a hook that `doctor` has probed. */
export function describeProbe({ host, path, agent }: ProbedHook, outcome: ProbeOutcome): HealthCheck {
  const tookMs = Math.round(outcome.tookMs)
  const probed = parseProbed(outcome.output)
  const fault = probed ? probed.fault : `it did not answer (exit ${outcome.exitCode ?? 'none'})`
  const isSlow = tookMs > SLOW_MS
  return {
    name: `host.${host}`,
    ok: fault === null && !isSlow,
    level: 'warning',
    detail:
      fault === null
        ? `answers for ${probed?.agent} in ${tookMs} ms (${path})`
        : `the hooks in ${path} do not work: ${fault}`,
    next: isSlow
      ? 'Something keeps it waiting: see whether the machine or the store is busy.'
      : `Write them anew: postern init --host ${host} --agent ${agent}`,
  }
}

function unreadable({ host }: Target, path: string, problem: string): HealthCheck {
  return {
    name: `host.${host}`,
    ok: false,
    level: 'warning',
    detail: `the settings of ${path} cannot be read: ${problem}`,
    next: 'Fix the file. Nothing was changed.',
  }
}

/** It keeps to itself what it trusts. */
function trust({ host, next }: Target): HealthCheck {
  return { name: `host.${host}.trust`, ok: false, level: 'note', detail: 'its hooks may be untrusted', next }
}

/** Gates that passed while the store could not be read, or whose hooks did not answer. */
export function inspectBypasses(home: string): readonly HealthCheck[] {
  const passes = findBypasses(home, Date.now()).map(({ agent, bypassed: gates }) => ({ agent, gates }))
  const gates = [...passes, ...findLeft(home)].flatMap(({ agent, gates }) => gates.map((gate) => `${gate} of ${agent}`))
  if (gates.length === 0) return []
  return [
    {
      name: 'gates.bypassed',
      ok: false,
      level: 'warning',
      detail: `passed while the store could not be read or the host ended the hook, and not yet recorded there: ${gates.join(', ')}`,
      next: 'They are recorded, and people told, when the next session begins with the store that knows them.',
    },
  ]
}
