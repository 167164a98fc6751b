import { type ConnectedPostern, type ConnectPostern, connectPostern as connect } from '../../client/connect.ts'
import { createHttpFetch } from '../../kit/node/http-fetch.ts'

/** Connects to a server: the same Postern, over HTTP. Fails where nobody is there, or where the token is not good. */
export function connectPostern(options: ConnectPostern): Promise<ConnectedPostern> {
  return connect({ fetch: createHttpFetch(), ...options })
}
