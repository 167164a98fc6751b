import type { Service } from '../../model/sources/service.ts'
import type { TriggerProof } from '../../model/sources/services.ts'
import type { ServiceRecord } from '../../store/store.ts'
import type { Secrets } from '../context.ts'
import { isRecent, isSigned, STAND_IN_SECRET } from './webhook.ts'

/** A service that has proved to be itself, and what it proved it with, as the store keeps that. */
export interface Proven {
  readonly service: Service
  readonly credential: string
}

/**
 * Finds the service that a proof belongs to. Every credential is tried whether or not one has fitted, and something is
 * tried where there is none: how long it takes tells hardly anything about which agents and services there are.
 */
export function findProven(
  secrets: Secrets,
  records: readonly ServiceRecord[],
  proof: TriggerProof,
  now: number,
): Proven | undefined {
  const fits = 'key' in proof ? keyTest(secrets, proof.key) : signatureTest(secrets, proof, now)
  let proven: Proven | undefined
  for (const record of records) {
    for (const credential of credentialsOf(record, now)['key' in proof ? 'keys' : 'signingSecrets']) {
      if (fits(credential, record.service.id)) proven ??= { service: record.service, credential }
    }
  }
  if (records.length === 0) fits(STAND_IN_SECRET, '')
  return proven
}

/** Whether what a service proved itself with is still good: meanwhile it may have been revoked or given a new key. */
export function isStillGood(record: ServiceRecord, credential: string, now: number): boolean {
  const { keys, signingSecrets } = credentialsOf(record, now)
  return record.service.revokedAt === null && [...keys, ...signingSecrets].includes(credential)
}

function credentialsOf(record: ServiceRecord, now: number) {
  const { keyHash, earlierKeyHash, signingSecret, earlierSigningSecret, service } = record
  const isOverlap = service.overlapUntilAt !== null && now < service.overlapUntilAt
  const present = (...values: readonly (string | null)[]) => values.filter((value) => value !== null)
  return {
    keys: present(keyHash, isOverlap ? earlierKeyHash : null),
    signingSecrets: present(signingSecret, isOverlap ? earlierSigningSecret : null),
  }
}

type Test = (credential: string, serviceId: string) => boolean

function keyTest(secrets: Secrets, key: string): Test {
  const hash = secrets.hash(key)
  return (credential) => secrets.isSame(hash, credential)
}

function signatureTest(secrets: Secrets, proof: Exclude<TriggerProof, { key: string }>, now: number): Test {
  return (credential, serviceId) => {
    const opened = secrets.open(credential, serviceId)
    const isFitting = isSigned(secrets, 'secret' in opened ? opened.secret : STAND_IN_SECRET, proof)
    return isFitting && 'secret' in opened && isRecent(proof.timestamp, now)
  }
}
