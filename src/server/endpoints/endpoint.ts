import type { Asking, Exchange, Reply } from '../exchange.ts'

/** A route that the server answers beside those of the operations. */
export type Endpoint = OpenEndpoint | GuardedEndpoint

/** The parameters in the path, by name. */
type Params = Readonly<Record<string, string>>

interface Named {
  /** `GET /healthz`. */
  readonly route: string
  readonly name: string
}

/** Open to every client that reaches the server. */
interface OpenEndpoint extends Named {
  readonly isOpen: true
  answer(exchange: Exchange, params: Params): Promise<Reply>
}

/** Open to clients with a token. */
interface GuardedEndpoint extends Named {
  readonly isOpen: false
  /** Undefined if it writes the response itself. */
  answer(asking: Asking, params: Params): Promise<Reply | undefined>
}
