import type { Service } from '../../model/sources/service.ts'

/** Outside systems that wake agents, and the hashes of their keys. Every method is one atomic step. */
export interface ServiceShelf {
  /** False if the agent has a service of that name; then nothing is written. */
  insert(record: ServiceRecord): Promise<boolean>
  /** Within a transaction the service is locked until that ends. */
  get(id: string): Promise<ServiceRecord | undefined>
  /** The agent's services that are not revoked, oldest first. */
  ofAgent(params: { readonly agent: string }): Promise<readonly ServiceRecord[]>
  /** Newest first. */
  list(params: { readonly agent?: string; readonly revoked: boolean }): Promise<readonly ServiceRecord[]>
  /** Writes every field of an existing service. Lock it with `get` first: it overwrites what others wrote. */
  update(record: ServiceRecord): Promise<void>
  /** Counts an event of the service. Not repeatable. */
  heard(params: { readonly id: string; readonly at: number }): Promise<void>
  /** Whether any service that is not revoked has this name. */
  isNamed(name: string): Promise<boolean>
}

/** A service with the hashes of its keys. Secrets are sealed: the store alone cannot open them. */
export interface ServiceRecord {
  readonly service: Service
  readonly keyHash: string
  readonly earlierKeyHash: string | null
  readonly signingSecret: string
  readonly earlierSigningSecret: string | null
}
