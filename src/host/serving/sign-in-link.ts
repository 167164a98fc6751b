import { createTransport } from '../../client/transport.ts'
import { createHttpFetch } from '../../kit/node/http-fetch.ts'
import { SIGN_INS_PATH } from '../../model/network/paths.ts'
import type { Config } from '../config/config.ts'
import { addressOf } from './connect.ts'

/** A link by which a person gets into the page of a server, once. */
export interface SignInLink {
  readonly person: string
  readonly url: string
  readonly expiresAt: number
  /** False if the server refuses the link where a local file leads to it: then a person opens it by hand. */
  readonly opensFromFile: boolean
}

/** Asks a server for a link, with the token of the environment or of the home. */
export async function askForLink(
  config: Pick<Config, 'home' | 'origins'>,
  server: string,
  person: string,
): Promise<SignInLink> {
  const { url, token } = addressOf(config, server)
  const transport = createTransport({ url, token, fetch: createHttpFetch() })
  try {
    const body = JSON.stringify({ person })
    const answer = await transport.send({ method: 'POST', path: SIGN_INS_PATH, body }, {})
    const {
      path,
      expiresAt,
      opensFromFile = false,
    } = answer as Pick<SignInLink, 'expiresAt'> & {
      readonly path: string
      readonly opensFromFile?: boolean
    }
    return { person, url: new URL(path, url).href, expiresAt, opensFromFile }
  } finally {
    transport.close()
  }
}
