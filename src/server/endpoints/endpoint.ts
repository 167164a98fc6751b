import type { Asking, Exchange, Reply } from '../exchange.ts'

/** Something that is answered beside the operations. */
export type Page = OpenPage | GuardedPage

/** Parts of the path that stand for something. */
type Params = Readonly<Record<string, string>>

interface Named {
  /** `GET /healthz`. */
  readonly route: string
  readonly name: string
}

/** For everybody who reaches the server. */
interface OpenPage extends Named {
  readonly isOpen: true
  answer(exchange: Exchange, params: Params): Promise<Reply>
}

/** For whoever has a token. */
interface GuardedPage extends Named {
  readonly isOpen: false
  /** Undefined where it answers by itself. */
  answer(asking: Asking, params: Params): Promise<Reply | undefined>
}
