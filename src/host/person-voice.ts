import { readFileSync } from 'node:fs'
import { isChildOf } from '../kit/node/host-process.ts'
import { ancestors, ownPid } from '../kit/node/processes.ts'
import type { Caller } from '../model/caller.ts'
import { PosternError } from '../model/errors.ts'
import { ownSession, type Roster } from './identity.ts'

/**
 * Variables that coding agents set for the programs they start, and `postern wake` for its command. A process keeps them
 * when it leaves its parent, its terminal session or its pid namespace. Variables that people set to configure a host, such
 * as CODEX_HOME, and those that editors set in every terminal, such as CURSOR_TRACE_ID, do not count.
 */
export const HOST_VARIABLES: readonly string[] = [
  'CLAUDECODE',
  'CLAUDE_CODE_CHILD_SESSION',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_PID',
  'CODEX_CI',
  'CODEX_SANDBOX',
  'CODEX_SANDBOX_NETWORK_DISABLED',
  'CODEX_SESSION_ID',
  'CODEX_THREAD_ID',
  'GEMINI_CLI',
  'GEMINI_SESSION_ID',
  'CURSOR_AGENT',
  'OPENCODE',
  'COPILOT_CLI',
  'AI_AGENT',
  'POSTERN_SESSION',
]

/** The refusal of a name that is not the one of the caller's token. */
export function anotherName({ id }: Caller, named: string): PosternError {
  return new PosternError('NOT_ALLOWED', {
    message: `The token is that of ${id}, so it cannot speak as ${named}.`,
    next: `Leave the name out, or use a token of ${named}.`,
  })
}

/** Refuses a process of an agent, which may not speak as a person. */
export async function requirePersonsVoice(postern: Roster, person: string): Promise<void> {
  const own = await ownSession(postern)
  if (own) {
    throw new PosternError('NOT_ALLOWED', {
      message: `This process belongs to a session of ${own.agent}, so it cannot speak as ${person}.`,
      next: `Speak as ${own.agent}, or let ${person} do it from a terminal of their own.`,
    })
  }
  requireNoHostVariable(`cannot speak as ${person}`)
}

/**
 * The person whom the user has named as sitting before a host, for a program that the host itself has started to ask them
 * something. What an agent's commands start further down is no such program, and neither is what has left the host.
 */
export async function personBefore(
  postern: Roster,
  named: string,
  { via, hostPrograms }: { readonly via: string; readonly hostPrograms: readonly string[] },
): Promise<Caller> {
  const { id, kind } = await postern.agents.show({ id: named })
  if (kind !== 'human') {
    throw new PosternError('NOT_ALLOWED', { message: `${id} is no person.`, next: 'Name a person who is registered.' })
  }
  const own = await ownSession(postern)
  if (own && !own.isChild) throw notFromHost(`was started by ${own.agent}`, id)
  // A host sets these variables for its own programs too, so where no session is known its process must be the parent.
  const variable = own ? undefined : findHostVariable()
  if (variable !== undefined && !isChildOf(ownPid(), hostPrograms)) {
    throw notFromHost(`inherits ${variable} and was not started by a host itself`, id)
  }
  return { id, kind, verified: false, via }
}

function notFromHost(why: string, person: string): PosternError {
  return new PosternError('NOT_ALLOWED', {
    message: `This process ${why}, so it cannot speak as ${person}.`,
    next: 'Let the host start it, as its configuration says.',
  })
}

/** Refuses a process that a coding agent has started, as far as its environment or that of a process above it says so. */
export function requireNoHostVariable(what: string): void {
  const variable = findHostVariable()
  if (variable === undefined) return
  throw new PosternError('NOT_ALLOWED', {
    message: `This process inherits ${variable} from a coding agent, so it ${what}.`,
    next: 'Use the page, which "postern ui" opens from another terminal, or a terminal that no coding agent has started.',
  })
}

/** The first of these variables that this process or one above it has in its environment; undefined if there is none. */
export function findHostVariable(): string | undefined {
  const own = HOST_VARIABLES.find((name) => process.env[name])
  if (own !== undefined) return own
  for (const { pid } of ancestors(ownPid())) {
    const variable = variableOf(pid)
    if (variable !== undefined) return variable
  }
  return undefined
}

/** Linux shows the environment with which a process was started to its own user. */
function variableOf(pid: number): string | undefined {
  let environment: readonly string[]
  try {
    environment = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0')
  } catch {
    return undefined
  }
  return HOST_VARIABLES.find((name) =>
    environment.some((entry) => entry.startsWith(`${name}=`) && entry.length > name.length + 1),
  )
}
