import type { Config } from '../../host/config/config.ts'
import type { OpenOptions } from '../../host/open/context.ts'
import type { Postern } from '../../model/postern.ts'

/** A command as data: help, completions, suggestions and parsing are all made from it. */
export interface Command extends Form {
  /** Returns the exit code; absent means 0. */
  run(io: Io, args: Args): Promise<number | undefined>
}

/** How a command is spelled. */
export interface Form {
  /** `inbox push`. */
  readonly path: string
  readonly summary: string
  /** What follows the options: `[text]`, `<id>`, `<id…>`. */
  readonly operands?: string
  readonly options?: readonly Option[]
  readonly examples?: readonly string[]
  /** Works whoever asks, so nobody has to be registered yet. */
  readonly isForAnyone?: true
  /** Its `--agent` says whom it concerns, not who asks. */
  readonly isAboutAgent?: true
  /** Concerns this machine alone: no server is asked, whatever the configuration names. */
  readonly isLocal?: true
  /** Its operands are a command: what comes after the first of them is that one's, options too. */
  readonly takesCommand?: true
}

export interface Option {
  readonly name: string
  /** Shown in help, such as `<agent>`; absent for a switch. */
  readonly value?: string
  /** May be given more than once. */
  readonly multiple?: boolean
  /** Other words for the same, from the seeds. */
  readonly aliases?: readonly string[]
  readonly short?: string
  readonly summary: string
  /** True for an option that only Postern itself passes. Help and completions leave it out. */
  readonly isInternal?: true
}

/** What was typed, after parsing. */
export interface Args {
  readonly operands: readonly string[]
  has(name: string): boolean
  get(name: string): string | undefined
  all(name: string): readonly string[]
}

/** All that a command may touch. */
export interface Io {
  readonly config: Config
  readonly isJson: boolean
  readonly stdout: Output
  readonly stderr: Output
  readonly readStdin: () => Promise<string>
  /** The agent that the environment names. */
  readonly environmentAgent: string | undefined
  /** Opens the store on first use; the caller is who was named by flags or environment, or whose session it is. */
  open(options?: Pick<OpenOptions, 'bus'>): Promise<Postern>
  now(): number
}

export interface Output {
  readonly isTerminal: boolean
  readonly columns: number
  /** Writes a line of talk or answer. */
  line(text: string): void
}

/** Options that every command understands. */
export const COMMON_OPTIONS: readonly Option[] = [
  { name: 'json', summary: 'answer with JSON on stdout' },
  { name: 'as', value: '<agent>', summary: 'who you are' },
  { name: 'home', value: '<folder>', summary: 'where Postern keeps its things (default ~/.postern)' },
  { name: 'store', value: '<path|url>', summary: 'a SQLite file, or postgres://…' },
  { name: 'url', value: '<url>', summary: 'a server to ask instead, such as http://127.0.0.1:4747' },
  { name: 'help', short: 'h', summary: 'show help' },
]
