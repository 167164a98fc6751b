import { PosternError } from '../../../model/errors.ts'
import type { AgentStatus, Postern } from '../../../model/postern.ts'

/** The one person who can be meant: the only one there is, else the only owner. */
export function onlyPerson(agents: readonly AgentStatus[]): AgentStatus | undefined {
  const people = agents.filter(({ kind }) => kind === 'human')
  const [only, another] = people.length > 1 ? people.filter(({ isOwner }) => isOwner) : people
  return another === undefined ? only : undefined
}

/** Who looks: whom the words or the token name, or the one person that can be meant. Programs are nobody here. */
export async function requireViewer(postern: Postern): Promise<string> {
  const { caller } = postern
  if (caller.kind === 'human') return caller.id
  // A program that names nobody is not let in as whoever there is.
  if (caller.kind === 'ai' || caller.kind === 'service') throw notForPrograms(caller.id)
  const agents = await postern.agents.list()
  const only = onlyPerson(agents)
  if (only) return only.id
  throw unclear(agents.filter(({ kind }) => kind === 'human'))
}

function unclear(people: readonly AgentStatus[]): PosternError {
  if (people.length === 0) {
    return new PosternError('USAGE', {
      message: 'No person is registered, so the page would be nobody’s.',
      next: 'Register yourself first: postern agent add <name> --kind human --owner',
    })
  }
  return new PosternError('USAGE', {
    message: `It is not clear who looks: ${people.map(({ id }) => id).join(', ')}.`,
    next: 'Name yourself with "--as <person>".',
  })
}

function notForPrograms(id: string): PosternError {
  return new PosternError('NOT_ALLOWED', {
    message: `The page is for people, and ${id} is none.`,
    next: 'Let a person open it from a terminal of their own.',
  })
}
