/** What all contestants can do, each in its own way. A body is a JSON text of about 300 bytes. */
export interface System {
  push(body: string): Promise<unknown> | unknown
  /** All at once, by whatever the system offers for that. */
  pushMany(bodies: readonly string[]): Promise<unknown> | unknown
  /** Takes so many, or whatever is there, marks them as taken and returns their parsed bodies' number. */
  drain?(count: number): Promise<number> | number
  /** Calls back with every parsed body that arrives from now on. */
  listen?(onBody: (body: Body) => void): Promise<void>
  /** Tells whoever listens that something was pushed, where pushing alone does not. */
  ring?(): void
  /** To so many recipients, by name. */
  fanOut?(body: string, recipients: readonly string[]): Promise<unknown>
  close(): Promise<unknown> | unknown
}

export interface Body {
  readonly sentAt: number
  readonly text: string
}

export interface SystemOptions {
  /** How many may wait in one inbox; the default of Postern otherwise. */
  readonly pending?: number
  /** Tells parallel processes apart. */
  readonly lane?: number
}

export type OpenSystem = (place: string, options?: SystemOptions) => Promise<System>

const FILLER =
  'The build of main failed in step 4 of 9; the log is attached and the last good commit is named. '.repeat(3)

/** The monotonic clock is one for all processes of a Linux machine. */
export function makeBody(): string {
  return JSON.stringify({ sentAt: Number(process.hrtime.bigint()), text: FILLER.slice(0, 250) })
}

export function makeBodies(count: number): string[] {
  return Array.from({ length: count }, makeBody)
}
