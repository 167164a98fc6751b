import type { Config } from '../../host/config/config.ts'
import type { OpenOptions } from '../../host/open/context.ts'
import type { PosternError } from '../../model/errors.ts'
import type { NoteRefusal } from '../../model/gates.ts'
import type { Postern } from '../../model/postern.ts'

/** A command as data: help, completions, suggestions and parsing are all made from it. */
export interface Command extends Form {
  /** Returns the exit code; absent means 0. */
  run(io: Io, args: Args): Promise<number | undefined>
}

/** The declaration of a command: everything but its code. */
export interface Form {
  /** `inbox push`. */
  readonly path: string
  readonly summary: string
  /** The operands, such as `[text]`, `<id>` or `<id…>`. */
  readonly operands?: string
  readonly options?: readonly Option[]
  readonly examples?: readonly string[]
  /** Works for any caller, even if nobody is registered yet. */
  readonly isForAnyone?: true
  /**
   * True if the command, or with a function these words of it, is left to people: then an unnamed process that a coding
   * agent has started is refused. A house test compares it with the access of the operations.
   */
  readonly isForPeople?: true | ((args: Args) => boolean)
  /** What the command does to a gate or its question. A refusal to speak as a person is recorded there. */
  readonly closes?: NoteRefusal['attempt']
  /** Also runs where the configuration cannot be read, with nothing set, and reports that itself. */
  readonly toleratesConfig?: true
  /** Its `--agent` names the agent that it is about, not the caller. */
  readonly isAboutAgent?: true
  /** Works on this machine only: no server is asked, even if the configuration names one. */
  readonly isLocal?: true
  /** May keep the store open for long, because it waits or follows. */
  readonly isLasting?: true
  /** Its operands are a command line: everything after the first operand belongs to that command, options too. */
  readonly takesCommand?: true
}

export interface Option {
  readonly name: string
  /** Shown in help, such as `<agent>`; absent for a switch. */
  readonly value?: string
  /** May be given more than once. */
  readonly multiple?: boolean
  /** Other names of the same option, which older programs use. */
  readonly aliases?: readonly string[]
  readonly short?: string
  readonly summary: string
  /** True for an option that only Postern itself passes. Help and completions leave it out. */
  readonly isInternal?: true
}

/** The parsed words of a command. */
export interface Args {
  readonly operands: readonly string[]
  has(name: string): boolean
  get(name: string): string | undefined
  all(name: string): readonly string[]
}

/** Everything that a command may use. */
export interface Io {
  readonly config: Config
  /** Why the configuration could not be read; only for a command that tolerates it. */
  readonly configFault?: PosternError
  readonly isJson: boolean
  readonly stdout: Output
  readonly stderr: Output
  readonly readStdin: () => Promise<string>
  /** The agent that the environment names. */
  readonly environmentAgent: string | undefined
  /**
   * Opens the store, or connects to the server, on first use. The caller is the one that flags or environment name, or
   * the agent whose session it is.
   */
  open(options?: Pick<OpenOptions, 'bus' | 'mustExist'>): Promise<Postern>
  now(): number
}

export interface Output {
  readonly isTerminal: boolean
  readonly columns: number
  /** Writes a line. */
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
