import { join } from 'node:path'
import { agent } from '../../src/agent/runtime.ts'
import { openLocal } from '../../test/helpers/open-local.ts'
import { agentName, asSystem, limitsFor } from './postern.ts'
import type { Body, System, SystemOptions } from './system.ts'

/** Postern on its embedded store, whose messages come to an agent's loop: with its session, its text and its lease. */
export async function openPosternAgent(folder: string, options: SystemOptions = {}): Promise<System> {
  const postern = await openLocal(join(folder, 'postern.db'), { upkeep: false, limits: limitsFor(options) })
  return {
    ...(await asSystem(postern, options)),
    async listen(onBody) {
      void agent(postern, { agent: agentName(0) }).run(({ text, messages }) => {
        if (!text.startsWith('INBOX (')) throw new Error('the text of a batch begins with its heading')
        for (const { content } of messages) onBody(JSON.parse(content) as Body)
      })
    },
  }
}
