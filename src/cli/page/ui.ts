import { findServer } from '../../host/serving/server-lock.ts'
import { PosternError } from '../../model/errors.ts'
import type { AgentStatus, Postern } from '../../model/postern.ts'
import type { Command, Io } from '../command.ts'
import { answer } from '../print.ts'
import { openBrowser } from './browser.ts'

export const ui: Command = {
  path: 'ui',
  summary: 'Open the page: your inbox, decisions, gates, and everything that agents do.',
  options: [{ name: 'print', summary: 'only print the link, which is good once and for five minutes' }],
  examples: ['postern ui', 'postern ui --as justin', 'postern ui --print'],

  async run(io, args) {
    const server = serverOf(io)
    const person = await personFor(await io.open())
    // Asking over HTTP is a part of its own.
    const { askForLink } = await import('../../host/serving/sign-in-link.ts')
    const { url, expiresAt } = await askForLink(io.config, server, person)
    const isOpened = !args.has('print') && !io.isJson && (await openBrowser(url))
    const text = isOpened ? `The page of ${person} is open in your browser.` : url
    answer(io, { person, url, expiresAt }, text)
    return undefined
  },
}

/** The server that is named, or the one that runs for this home. */
function serverOf({ config }: Io): string {
  const url = config.url ?? findServer(config.store)?.url
  if (url !== undefined) return url
  throw new PosternError('SERVER_UNAVAILABLE', { url: 'of this home', reason: 'none was found' })
}

/** Who looks: whom somebody names, whom the token speaks for, or the one person that can be meant. */
async function personFor(postern: Postern): Promise<string> {
  const { caller } = postern
  if (caller.kind === 'human') return caller.id
  // A program that names nobody is not let in as whoever there is.
  if (caller.kind === 'ai' || caller.kind === 'service') throw notForPrograms(caller.id)
  const people = (await postern.agents.list()).filter(({ kind }) => kind === 'human')
  const [only, another] = people.length > 1 ? people.filter(({ isOwner }) => isOwner) : people
  if (only && !another) return only.id
  throw unclear(people)
}

function unclear(people: readonly AgentStatus[]): PosternError {
  if (people.length === 0) {
    return new PosternError('USAGE', {
      message: 'No person is registered, so the page would be nobody’s.',
      next: 'Register yourself first: postern agent add <your-name> --kind human --owner',
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
