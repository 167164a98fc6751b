import { fstatSync, writeSync } from 'node:fs'
import { type Config, type ConfigSources, createConfig, findHome, readConfig } from '../../host/config/config.ts'
import { readVariable } from '../../host/config/variables.ts'
import { folderOf } from '../../host/config/working-folder.ts'
import { anyone, type IdentitySources, identify } from '../../host/identity.ts'
import { openOrConnect } from '../../host/open/open.ts'
import { sleepSync } from '../../kit/node/sleep-sync.ts'
import { lazy } from '../../kit/pure/lazy.ts'
import type { Caller } from '../../model/caller.ts'
import { asPosternError, EXIT, PosternError } from '../../model/errors.ts'
import type { Postern } from '../../model/postern.ts'
import { showField } from '../../render/terminal.ts'
import type { Args, Command, Form, Io, Output } from './command.ts'
import { configFlags } from './config-flags.ts'
import { formatJson } from './json.ts'
import { parseArgs } from './parse.ts'

const MAX_ERROR_WIDTH = 2_000

/** Runs one command from its words to its exit code. An error is printed as one line, never as a stack trace. */
export async function runCommand(command: Command, argv: readonly string[]): Promise<number> {
  const isJson = asksForJson(argv)
  let postern: Postern | undefined
  let isDone = false
  let isOwnStore = true
  try {
    const args = parseArgs(command, argv)
    if (args.has('help')) {
      printLine((await import('./help.ts')).helpFor(command))
      return EXIT.ok
    }
    const io = createIo(command, args, async (config, options) => {
      postern ??= await openOrConnect(config, options)
      isOwnStore = config.url === null
      return postern
    })
    const code = (await command.run(io, args)) ?? EXIT.ok
    isDone = code === EXIT.ok
    return code
  } catch (error) {
    return printError(asPosternError(error), isJson)
  } finally {
    if (postern) await finish(postern, isDone && isOwnStore)
  }
}

/** Checked before the words are parsed, so that a parse error is printed as JSON too. */
export function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return argv.slice(0, end < 0 ? argv.length : end).includes('--json')
}

/**
 * Closes the Postern. Without a server, each command first runs a slice of the upkeep that is due. A command that
 * failed runs none: a store that is locked, full or damaged is best left alone.
 */
async function finish(postern: Pick<Postern, 'upkeep' | 'close'>, runsUpkeep: boolean): Promise<void> {
  try {
    if (runsUpkeep) await postern.upkeep.run()
  } catch {
    // This command has already answered. The next one will report what is wrong with the store.
  }
  await postern.close().catch(() => {})
}

function createIo(form: Form, args: Args, open: typeof openOrConnect): Io {
  const { env } = process
  const sources = { flags: configFlags(args), env }
  const { configFault, ...read } = readConfigFor(form, { ...sources, cwd: folderOf(sources) })
  const config = configOf(form, read.config)
  const environmentAgent = readVariable(env, 'caller')
  return {
    config,
    ...(configFault && { configFault }),
    isJson: args.has('json'),
    stdout: output(1, () => process.stdout),
    stderr: output(2, () => process.stderr),
    readStdin: async () => (await import('./given-text.ts')).readStdin(),
    environmentAgent,
    async open(more) {
      const { isLasting = false } = form
      const postern = await open(config, { upkeep: false, isLasting, limits: config.limits, ...more })
      const caller = await identifyCaller(form, args, postern)
      return caller === postern.caller ? postern : postern.as({ ...caller, peer: `pid ${process.pid}` })
    },
    now: Date.now,
  }
}

function readConfigFor(form: Form, sources: ConfigSources): Pick<Io, 'config' | 'configFault'> {
  try {
    return { config: readConfig(sources) }
  } catch (error) {
    if (!form.toleratesConfig) throw error
    const config = createConfig({ ...sources, home: findHome(sources), layers: [] })
    return { config, configFault: asPosternError(error) }
  }
}

async function identifyCaller(form: Form, args: Args, postern: Postern): Promise<Caller> {
  const sources = identitySources(form, args)
  if (form.isForPeople || form.closes) {
    return (await import('./identify-person.ts')).identifyPerson(form, args, { postern, sources })
  }
  return form.isForAnyone ? anyone(postern, sources.via) : identify(postern, sources)
}

/** Who the words and the environment say the caller is. */
function identitySources(form: Form, args: Args): IdentitySources {
  const as = args.get('as')
  const environmentAgent = readVariable(process.env, 'caller')
  const agent = (form.isAboutAgent ? undefined : args.get('agent')) ?? (as === undefined ? environmentAgent : as)
  return { ...(as !== undefined && { as }), ...(agent !== undefined && { agent }), via: 'cli' }
}

/** A local command never asks a server: `--url` is refused, and a configured server is skipped with a warning. */
function configOf({ path, isLocal }: Form, config: Config): Config {
  const { url, origins } = config
  if (!isLocal || url === null) return config
  if (origins.url === '--url') {
    throw new PosternError('USAGE', {
      message: `"postern ${path}" works on this machine alone, not through a server.`,
      next: 'Run it where the server runs, or leave "--url" out.',
    })
  }
  writeAll(2, `postern: "${path}" works on this machine alone; the server of ${origins.url} is not asked\n`)
  return { ...config, url: null }
}

/** The width without a terminal: wide enough that programs such as grep find whole lines. */
const DEFAULT_COLUMNS = 1_000

/** Uses Node's own streams only for the width of a terminal: loading them takes longer than most commands. */
function output(descriptor: number, stream: () => NodeJS.WriteStream): Output {
  const isTerminal = lazy(() => isTerminalDevice(descriptor))
  return {
    get isTerminal() {
      return isTerminal()
    },
    get columns() {
      return (isTerminal() ? stream().columns : Number(process.env['COLUMNS'])) || DEFAULT_COLUMNS
    },
    line: (text) => writeAll(descriptor, `${text}\n`),
  }
}

/** The major number of /dev/null, /dev/full and the like on Linux. */
const MEMORY_DEVICES = 1

/** Loads `node:tty` only if the descriptor can be a terminal, because loading it takes long. */
function isTerminalDevice(descriptor: number): boolean {
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isCharacterDevice() || stat.rdev >> 8 === MEMORY_DEVICES) return false
    return process.getBuiltinModule('node:tty').isatty(descriptor)
  } catch {
    return false
  }
}

const LOOK_FIRST = 'Check what the command did before you repeat it.'

/** Writes everything. A closed pipe is no failure: the reader wants no more. */
function writeAll(descriptor: number, text: string): void {
  let bytes = Buffer.from(text)
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(descriptor, bytes))
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException
      if (code === 'EAGAIN') {
        sleepSync(1)
        continue
      }
      if (code === 'EPIPE') return
      throw new PosternError('OUTPUT_FAILED', { reason: code, next: LOOK_FIRST }, { cause: error })
    }
  }
}

export function printLine(text: string): void {
  writeAll(1, `${text}\n`)
}

/** An error as one line of a terminal. */
export function formatError({ code, message, next }: PosternError): string {
  return `postern: ${showField(message, MAX_ERROR_WIDTH)} ${showField(next, MAX_ERROR_WIDTH)} [${code}]`
}

/** Prints an error, as far as stdout and stderr can be written to, and returns the exit code. */
export function printError(error: PosternError, isJson: boolean): number {
  const { code, message, next, retryable, details } = error
  const inJson = `${formatJson({ error: { code, message, next, retryable, details } })}\n`
  const inWords = `${formatError(error)}\n`
  for (const [descriptor, text] of isJson
    ? ([
        [1, inJson],
        [2, inWords],
      ] as const)
    : ([[2, inWords]] as const)) {
    try {
      writeAll(descriptor, text)
    } catch {
      // Nobody reads the output. The exit code still tells.
    }
  }
  return error.exit
}
