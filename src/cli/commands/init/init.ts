import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import { formatLauncherWord, LAUNCHER } from '../../../hooks/install/command-line.ts'
import { diffLines } from '../../../hooks/install/diff.ts'
import { applyChange, type Change, findSettings, planInstall, planUninstall } from '../../../hooks/install/install.ts'
import { installLauncher } from '../../../hooks/install/install-launcher.ts'
import { listHooks, type PostServer, understand } from '../../../hooks/install/settings.ts'
import { type Places, SCOPES, type Scope, TARGETS, type Target } from '../../../hooks/install/targets.ts'
import { parseAgentId } from '../../../model/agent.ts'
import { EXIT } from '../../../model/errors.ts'
import { showField } from '../../../render/terminal.ts'
import type { Args, Command, Io } from '../../shell/command.ts'
import { usage } from '../../shell/parse.ts'
import { answer } from '../../shell/print.ts'
import {
  findFormer,
  findPostable,
  findPostServer,
  hideTokens,
  revoke,
  revokeFormer,
  warnOfPort,
  warnOfReaders,
  withToken,
} from '../doctor/post-server.ts'

const GENERIC = 'generic'
const HOST_NAMES = [...TARGETS.map(({ host }) => host), GENERIC]
const MAX_WIDTH = 1_000

export const init: Command = {
  path: 'init',
  isLocal: true,
  isForAnyone: true,
  summary: 'Let a host call Postern: put its hooks into the settings of Claude Code, Codex, Gemini CLI or Cursor.',
  options: [
    { name: 'host', value: `<${HOST_NAMES.join('|')}>`, summary: 'the program that the agent runs in' },
    { name: 'agent', value: '<agent>', summary: 'whose mail it shows; registered if it is new' },
    { name: 'scope', value: '<user|project>', summary: 'everywhere (default), or in this project only' },
    { name: 'http', summary: 'let prompts and tools go straight to the server that runs (claude-code, user)' },
    { name: 'yes', short: 'y', summary: 'do not ask' },
    { name: 'uninstall', summary: 'take the hooks out again; everything else stays as it is' },
  ],
  examples: [
    'postern init --host claude-code --agent quinn',
    'postern init --host claude-code --agent quinn --http',
    'postern init --host codex --agent quinn --scope project',
    'postern init --host claude-code --uninstall',
  ],

  async run(io, args) {
    const host = args.get('host')
    if (host === undefined || !HOST_NAMES.includes(host)) throw usage(init, `--host takes ${HOST_NAMES.join(', ')}`)
    const target = TARGETS.find((each) => each.host === host)
    if (args.has('uninstall')) return uninstall(io, args, target)
    const agent = args.get('agent') ?? io.environmentAgent
    if (agent === undefined) throw usage(init, '--agent is missing')
    parseAgentId(agent)
    return target ? install(io, args, target, agent) : explainGeneric(io, agent)
  },
}

async function install(io: Io, args: Args, target: Target, agent: string): Promise<number | undefined> {
  const { home } = io.config
  const scope = parseScope(args)
  const places = findPlaces(target)
  const launcher = formatLauncherWord(home, places.userHome, target, scope)
  const found = findSettings(target, scope, places)
  const wish = { target, scope, agent, found }
  const wanted = { target, launcher, agent, home }
  const asked = args.has('http') ? await findPostServer(io, wish) : undefined
  const plan = planInstall(found, scope, { ...wanted, ...(asked && { server: asked }) })
  if (plan && !(await agrees(io, args, plan))) return EXIT.failed

  const isNew = await prepare(io, agent)
  const former = findFormer(io, { target, found, agent: undefined })
  const server = asked && (await withToken(io, wish, asked))
  const change = server ? planInstall(found, scope, { ...wanted, server }) : plan
  const backup = change ? await write(io, change, server === asked ? null : server) : null
  const isReplaced = change !== undefined && former.tokenId !== change.next?.tokenId
  const warnings = [
    ...(isReplaced ? await revokeFormer(io, former) : []),
    ...warnOfReaders(found, server),
    ...warnOfPort(io, server),
    ...warnOfOther(target, scope, places, home),
    ...warnOfSharing(scope, agent, launcher),
    ...warnOfPlace(),
    ...warnOfStore(io),
  ]
  const offered = asked || target.postable.length === 0 || scope === 'project' ? undefined : findPostable(io)
  const others = (change?.agents ?? []).filter((each) => each !== agent)
  const lines = [
    change
      ? `${target.host} calls Postern for ${agent} now: ${found.path}`
      : `Nothing to change: ${target.host} calls Postern for ${agent} already (${found.path}).`,
    ...(found.link === null ? [] : [`${found.link} is a link; the file that it leads to was taken.`]),
    ...(others.length === 0 ? [] : [`It did so for ${others.join(', ')} before.`]),
    ...(backup === null ? [] : [`The file as it was: ${backup}`]),
    ...(isNew ? [`The launcher was written: ${join(home, LAUNCHER)}`] : []),
    ...(server ? [`Prompts and tools go to the server at ${server.url}; the rest runs the launcher.`] : []),
    ...(offered === undefined ? [] : [`A server runs at ${offered}: with --http prompts and tools go straight to it.`]),
    ...warnings,
    ...(change ? [target.next] : []),
  ]
  answer(
    io,
    {
      host: target.host,
      agent,
      scope,
      path: found.path,
      changed: change !== undefined,
      backup,
      launcher: join(home, LAUNCHER),
      server: server?.url ?? null,
      warnings,
      next: target.next,
    },
    show(lines),
  )
  return undefined
}

/** Where the file cannot be written, a token that was made for it is good for nothing. */
async function write(io: Io, change: Change, made: PostServer | null | undefined): Promise<string | null> {
  try {
    return (await applyChange(change, io.config.home)).backup
  } catch (error) {
    if (made?.tokenId) await revoke(io, made.tokenId)
    throw error
  }
}

async function uninstall(io: Io, args: Args, target: Target | undefined): Promise<number | undefined> {
  if (!target) throw usage(init, `Nothing was installed for ${GENERIC}, so there is nothing to take out`)
  const { home } = io.config
  const scope = parseScope(args)
  const agent = args.get('agent')
  const found = findSettings(target, scope, findPlaces(target))
  const change = planUninstall(found, scope, { target, home, agent })
  if (change && !(await agrees(io, args, change))) return EXIT.failed

  const former = findFormer(io, { target, found, agent })
  const backup = change ? (await applyChange(change, home)).backup : null
  const warnings = await revokeFormer(io, former)
  const isGone = change?.after === null
  const lines = change
    ? [
        `${target.host} no longer calls Postern for ${change.agents.join(', ')}: ${found.path}`,
        ...(isGone ? ['The file held nothing else, and was not there before: it is removed.'] : []),
        ...(backup === null ? [] : [`The file as it was before Postern came: ${backup}`]),
      ]
    : [`Nothing to take out of ${found.path}.`]
  lines.push(...warnings)
  answer(
    io,
    {
      host: target.host,
      agents: change?.agents ?? [],
      scope,
      path: found.path,
      changed: change !== undefined,
      removed: isGone,
      backup,
      warnings,
    },
    show(lines),
  )
  return undefined
}

/** For a program of one's own there is nothing to write but the launcher; what to call is said. */
async function explainGeneric(io: Io, agent: string): Promise<undefined> {
  await prepare(io, agent)
  const launcher = join(io.config.home, LAUNCHER)
  const command = `${formatLauncherWord(io.config.home, homedir(), { fillsHome: 'shell' })} ${GENERIC} ${agent}`
  const lines = [
    `Call this at every event of your program, with the event as JSON on stdin, and read JSON from stdout:`,
    `    ${command}`,
    `An event: {"event": "prompt.submit", "session_id": "s-1", "cwd": "/path/of/the/project"}`,
    `The answer, where there is one: {"context": "…", "block": "…", "notice": "…"}`,
    `Add the word "full" for session.start, turn.stop, compact.before and session.end.`,
  ]
  answer(io, { host: GENERIC, agent, changed: false, launcher, command }, show(lines))
  return undefined
}

/** Registers the agent and writes the launcher, before any settings name them. True where the launcher is new. */
async function prepare(io: Io, agent: string): Promise<boolean> {
  const postern = await io.open()
  await postern.agents.add({ id: agent, kind: 'ai' })
  return installLauncher({ node: process.execPath, program: findProgram(), home: io.config.home })
}

function parseScope(args: Args): Scope {
  const scope = args.get('scope') ?? 'user'
  if (SCOPES.includes(scope as Scope)) return scope as Scope
  throw usage(init, `--scope takes ${SCOPES.join(' or ')}`)
}

function findPlaces({ folderVariable }: Target): Places {
  const moved = folderVariable === null ? undefined : process.env[folderVariable]
  return { userHome: homedir(), project: findProject(process.cwd()), moved: moved || undefined }
}

/** The root of the repository, else the working folder. */
function findProject(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder
    if (dirname(folder) === folder) return cwd
  }
}

/** The executable that this is a part of. */
function findProgram(): string {
  const here = typeof __dirname === 'string' ? __dirname : dirname(fileURLToPath(import.meta.url))
  for (let folder = here; ; folder = dirname(folder)) {
    const program = join(folder, 'bin', 'postern.cjs')
    if (existsSync(program) || dirname(folder) === folder) return program
  }
}

/** Shows the change. On a terminal a person has to agree; a script has agreed by calling. */
async function agrees(io: Io, args: Args, { found, after }: Change): Promise<boolean> {
  if (io.isJson) return true
  io.stdout.line(showField(found.text === null ? `New file ${found.path}` : `Change of ${found.path}`, MAX_WIDTH))
  for (const line of diffLines(found.text ?? '', after ?? ''))
    io.stdout.line(line === null ? '  …' : `${line.sign} ${spellOut(hideTokens(line.text))}`)
  if (args.has('yes') || !io.stdout.isTerminal || !process.stdin.isTTY) return true
  const prompt = createInterface({ input: process.stdin, output: process.stdout })
  const reply = await prompt.question('Write this? [y/N] ')
  prompt.close()
  if (/^\s*y(?:es)?\s*$/i.test(reply)) return true
  io.stdout.line('Nothing was written.')
  return false
}

/** A line of a file as it is, but for what a terminal would obey or nobody would see. */
function spellOut(line: string): string {
  const plain = line.replace(/\r$/, '').replaceAll('\t', '  ')
  return plain.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`)
}

/** Hooks in both scopes all run. */
function warnOfOther(target: Target, scope: Scope, places: Places, home: string): readonly string[] {
  const other = scope === 'user' ? 'project' : 'user'
  try {
    const { text, path } = findSettings(target, other, places)
    if (path === findSettings(target, scope, places).path) return []
    const agents = listHooks(understand(text ?? '', path), { target, home }).map(({ agent }) => agent)
    const names = [...new Set(agents)].join(', ')
    return names === '' ? [] : [`Careful: ${path} calls Postern for ${names} as well, and both run here.`]
  } catch {
    return []
  }
}

/** A project's settings are usually committed, with the agent's name in them. */
function warnOfSharing(scope: Scope, agent: string, launcher: string): readonly string[] {
  if (scope === 'user') return []
  const warning = 'Careful: whoever shares this project gets these hooks too.'
  return [
    launcher.includes('$HOME')
      ? `${warning} They need Postern with an agent ${agent}, or another that POSTERN_AGENT names; without it their host reports a missing hook.`
      : `${warning} The command holds a path of this machine (${launcher}); where that is missing the host reports it.`,
  ]
}

function warnOfPlace(): readonly string[] {
  const program = findProgram()
  if (!program.includes(`${sep}_npx${sep}`)) return []
  return [`Careful: this Postern lies in a cache of npx (${program}), which is emptied some day. Install it first.`]
}

/** A store that is named on the command line is not known to anybody who comes later. */
function warnOfStore({ config }: Io): readonly string[] {
  if (config.origins.store !== '--store') return []
  return [`Careful: hooks use the store that ${join(config.home, 'config.json')} names, not the one of this command.`]
}

function show(lines: readonly string[]): string {
  return lines.map((line) => showField(line, MAX_WIDTH)).join('\n')
}
