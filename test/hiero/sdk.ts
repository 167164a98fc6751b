import { readFileSync } from 'node:fs'
import { inject } from 'vitest'
import '../helpers/global-packages.ts'
import { needs } from '../helpers/needs.ts'

/** The SDK as its makers ship it, which is no dependency of ours: `installPackages` puts it into this folder. */
const ENTRY = new URL('./node_modules/@hiero-ledger/sdk/src/index.js', import.meta.url)

export const NEEDS_SDK = needs(inject('missingPackages') || undefined)

// biome-ignore lint/suspicious/noExplicitAny: its types are only there where it is installed
export type Sdk = any

export async function loadSdk(): Promise<Sdk> {
  return import(ENTRY.href)
}

export interface Served {
  readonly nodes: Readonly<Record<string, string>>
  readonly mirrorGrpc: string
  readonly operator: { readonly account: string; readonly keyFile: string }
}

export function connectSdk(sdk: Sdk, served: Served): Sdk {
  const { nodes, mirrorGrpc, operator } = served
  const client = sdk.Client.fromConfig({ network: nodes, mirrorNetwork: [mirrorGrpc], scheduleNetworkUpdate: false })
  return client.setOperator(operator.account, operatorKey(sdk, served))
}

export function operatorKey(sdk: Sdk, { operator }: Pick<Served, 'operator'>): Sdk {
  return sdk.PrivateKey.fromStringDer(readFileSync(operator.keyFile, 'utf8').trim())
}

/** Sends a transaction, signed by others too, and gives back its receipt. */
export async function carryOut(client: Sdk, transaction: Sdk, ...signers: readonly Sdk[]): Promise<Sdk> {
  const frozen = await transaction.freezeWith(client)
  for (const signer of signers) await frozen.sign(signer)
  return (await frozen.execute(client)).getReceipt(client)
}

/** The status with which something is refused. */
export async function refusalOf(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt
  } catch (error) {
    return String((error as { status?: unknown }).status ?? error)
  }
  return 'nothing was refused'
}
