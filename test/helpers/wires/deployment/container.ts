/** A container as compose files and Kubernetes both have it: what is checked alike is read alike. */
export interface Container {
  /** `compose.yaml: server-1`. */
  readonly where: string
  readonly image: string
  /** What follows the image's own entry point. */
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, EnvValue>>
  /** Undefined where nothing is said, and then the image decides. */
  readonly user: number | undefined
  /** What it mounts, and what there is to mount. */
  readonly mounts: readonly string[]
  readonly volumes: readonly string[]
}

/** A text, or a place in a secret. */
export type EnvValue = string | { readonly secret: string; readonly key: string }

/** Somebody who can be reached by a name. */
export interface Place {
  readonly name: string
  readonly port: number
}

export type Node = Readonly<Record<string, unknown>>

export function node(value: unknown): Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Node) : {}
}

export function nodes(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.map(node) : []
}

export function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

/** What a deeper part says, or undefined. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((part, name) => node(part)[name], value)
}
