import type { Handler } from '../handler.ts'

/** The built-in gate that asks for a decision before the agent stops. */
const GATE = 'decision'

/** If the agent must offer a decision before it stops and has not, tells it how. The gate behind it does the holding. */
export const stopDecision: Handler = {
  name: 'stop decision',
  priority: 15,
  events: ['turn.stop'],

  async handle(call) {
    if (call.isLoopBroken) return undefined
    const { strict, soft } = await call.judgement()
    const isAsked = [...strict, ...soft].some(({ name, isDurable }) => name === GATE && !isDurable)
    if (!isAsked) return undefined
    const { agent } = call
    return {
      context: `Your person wants to decide what comes next. Ask with the options you see, for example:\n  postern decision create --agent ${agent} --option a="…" --option b="…" "What should I do next?"\nand wait for the answer with "postern decision await <id>", or stop: the answer will be in your inbox.`,
    }
  },
}
