import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished, TestRunner } from 'vitest'
import type { InboxMessage } from '../../src/model/delivery.ts'
import type { Postern } from '../../src/model/postern.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** What a person needs to see of a test that failed. The summary prints it. */
    evidence?: string[]
  }
}

const LAST_LINES = 40
const MOST_MESSAGES = 10

interface FinishedTest {
  readonly task: { readonly meta: { evidence?: string[] }; readonly result?: { readonly state: string } }
}

export function hasFailed({ task }: FinishedTest): boolean {
  return task.result?.state === 'fail'
}

/**
 * Adds a text to what the summary prints of the running test if that fails. The text is made only then. Outside of a test,
 * in a hook of a suite, nothing is added.
 */
export function showIfFailed(describe: () => string | Promise<string>): void {
  if (TestRunner.getCurrentTest() === undefined) return
  onTestFinished(async (finished) => {
    if (hasFailed(finished)) await addEvidence(finished, describe)
  })
}

/** Evidence is a help: where it cannot be had the test fails all the same, for its own reason. */
export async function addEvidence({ task }: FinishedTest, describe: () => string | Promise<string>): Promise<void> {
  task.meta.evidence ??= []
  task.meta.evidence.push(
    await Promise.resolve()
      .then(describe)
      .catch((error: unknown) => `no evidence: ${error}`),
  )
}

export function lastLines(log: string): string {
  return log.trimEnd().split('\n').slice(-LAST_LINES).join('\n')
}

/** A folder that is kept, with the messages of the stores in it and the ends of its logs. */
export async function describeFolder(folder: string): Promise<string> {
  const stores = globSync(join(folder, '{,*/,*/*/}postern.db'))
  const logs = globSync(join(folder, '{,*/,*/*/,*/*/*/}*.log'))
  const parts = [`kept: ${folder}`]
  for (const store of stores) parts.push(`messages in ${store}:\n${await describeStore(store)}`)
  for (const log of logs) parts.push(`end of ${log}:\n${lastLines(readFileSync(log, 'utf8'))}`)
  return parts.join('\n')
}

async function describeStore(path: string): Promise<string> {
  // Only a failure needs it, and every test would pay for loading it.
  const { openLocal } = await import('./open-local.ts')
  const postern = await openLocal(path, { upkeep: false })
  try {
    return await describeMessages(postern)
  } finally {
    await postern.close()
  }
}

/** The newest messages and every step that they took. */
export async function describeMessages(postern: Postern): Promise<string> {
  const agents = await postern.agents.list()
  const inboxes = await Promise.all(
    agents.map(({ id }) => postern.inbox.list({ agent: id, which: 'all', order: 'newest', limit: MOST_MESSAGES })),
  )
  const messages = inboxes.flatMap(({ items }) => items).slice(0, MOST_MESSAGES)
  const lines = await Promise.all(messages.map((message) => describeMessage(postern, message)))
  return lines.length === 0 ? '(none)' : lines.join('\n')
}

async function describeMessage(postern: Postern, { id, agent, state, content }: InboxMessage): Promise<string> {
  const { deliveries } = await postern.inbox.trace({ id })
  const steps = deliveries.find((delivery) => delivery.agent === agent)?.steps ?? []
  const trace = steps.map(({ step, evidence }) => (evidence ? `${step} (${evidence})` : step)).join(' → ')
  return `${id} to ${agent}: ${state}, ${JSON.stringify(content.slice(0, 60))}\n    ${trace}`
}
