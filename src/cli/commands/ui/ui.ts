import { findServer } from '../../../host/serving/server-lock.ts'
import { PosternError } from '../../../model/errors.ts'
import type { Command, Io } from '../../shell/command.ts'
import { answer } from '../../shell/print.ts'
import { requireViewer } from '../status/person.ts'
import { openBrowser } from './browser.ts'

export const ui: Command = {
  path: 'ui',
  isForPeople: true,
  summary: 'Open the page: your inbox, decisions, gates, and everything that agents do.',
  options: [{ name: 'print', summary: 'only print the link, which is good once and for five minutes' }],
  examples: ['postern ui', 'postern ui --as justin', 'postern ui --print'],

  async run(io, args) {
    const server = serverOf(io)
    const person = await requireViewer(await io.open())
    // Asking over HTTP is a part of its own.
    const { askForLink } = await import('../../../host/serving/sign-in-link.ts')
    const { url, expiresAt, opensFromFile } = await askForLink(io.config, server, person)
    const isOpened = opensFromFile && !args.has('print') && !io.isJson && (await openBrowser(url, io.config.home))
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
