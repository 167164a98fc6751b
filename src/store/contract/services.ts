import type { Service } from '../../model/sources/service.ts'

export interface ServiceShelf {
  /** Inserts it unless the agent has one of that name; false where it has. */
  insert(record: ServiceRecord): Promise<boolean>
  /** Within a transaction it is locked until that ends. */
  get(id: string): Promise<ServiceRecord | undefined>
  /** The services of an agent that are not revoked. */
  ofAgent(params: { readonly agent: string }): Promise<readonly ServiceRecord[]>
  /** Newest first. */
  list(params: { readonly agent?: string; readonly revoked: boolean }): Promise<readonly ServiceRecord[]>
  update(record: ServiceRecord): Promise<void>
  /** Counts an event of it. */
  heard(params: { readonly id: string; readonly at: number }): Promise<void>
  /** Whether any service that is not revoked has this name. */
  isNamed(name: string): Promise<boolean>
}

/** A service and what its keys are known by. Secrets are sealed: the store alone cannot open them. */
export interface ServiceRecord {
  readonly service: Service
  readonly keyHash: string
  readonly earlierKeyHash: string | null
  readonly signingSecret: string
  readonly earlierSigningSecret: string | null
}
