import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseUrl } from '../../client/url.ts'
import { PosternError } from '../../model/errors.ts'
import type { Postern } from '../../model/postern.ts'
import type { Config } from '../config/config.ts'
import { HOME_FILE } from '../config/config-file.ts'
import { readVariable } from '../config/variables.ts'
import { TOKEN_FILE } from './first-token.ts'
import { connectPostern } from './node-client.ts'

/** Connects to the server that a configuration names, with the token of the environment or of the home. */
export async function connectConfigured(config: Pick<Config, 'home' | 'origins'>, url: string): Promise<Postern> {
  return connectPostern(addressOf(config, url))
}

/** Where a server is asked, and with which token. */
export function addressOf(config: Pick<Config, 'home' | 'origins'>, url: string): { url: string; token: string } {
  const address = parseUrl(url)
  return { url: address, token: readVariable(process.env, 'token') ?? readToken(config, address) }
}

/**
 * The home's token, if nobody else can read it. It was made for a server of this machine, or put there for the one that
 * the home's own file names: whoever names another address brings a token for that.
 */
function readToken({ home, origins }: Pick<Config, 'home' | 'origins'>, url: string): string {
  const path = join(home, TOKEN_FILE)
  if (!isLoopback(url) && origins.url !== join(home, HOME_FILE)) {
    throw refused(`The token in ${path} is not for ${url}.`, `Name that server as "url" in ${join(home, HOME_FILE)}.`)
  }
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) throw refused(`There is no token in ${path}.`, 'Put one there that "postern token create" has made.')
  if ((stat.mode & 0o077) !== 0 || stat.uid !== (process.getuid?.() ?? stat.uid)) {
    throw refused(
      `Others may have read the token in ${path}.`,
      `Make another, and keep it to yourself: chmod 600 ${path}`,
    )
  }
  return readFileSync(path, 'utf8').trim()
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

function refused(message: string, next: string): PosternError {
  return new PosternError('NOT_ALLOWED', { message, next })
}
