import type { ToolCall } from './dialects.ts'
import type { Place } from './place.ts'

/** How one client is made to work without a person, an account or a network. */
export interface Driver {
  /** Postern's name for it. */
  readonly host: 'claude-code' | 'codex' | 'gemini'
  readonly program: string
  /** Answers beforehand what a first run would ask a person, and names the model. */
  prepare(place: Place, modelUrl: string): void
  /** What its environment holds beside the place's own. */
  env(modelUrl: string): Readonly<Record<string, string>>
  /** Its arguments for one prompt; it ends when the turn does. */
  promptArgs(prompt: string, options: PromptOptions): readonly string[]
  /** Its arguments for a session at a terminal. */
  terminalArgs(): readonly string[]
  /** What the terminal shows once a prompt can be typed. */
  readonly takesInput: RegExp
  /** The call by which its model runs a line of shell. */
  callShell(line: string): ToolCall
  /** The session's id, from what it printed; undefined where it does not say. */
  sessionOf(stdout: string): string | undefined
}

export interface PromptOptions {
  /** A session to go on with. */
  readonly resume?: string | undefined
}
