import { RECEIPT_STAGES, type ReceiptStage } from '../../model/receipt.ts'
import type { Args, Command } from '../shell/command.ts'
import { usage } from '../shell/parse.ts'
import { answer } from '../shell/print.ts'
import { requireDuration } from '../shell/times.ts'
import { DEFAULT_TIMEOUT, describePush, inboxPush, readMessage } from './inbox/push.ts'

/** `inbox push` with all it can do: the same push, and on request the wait for its receipt. */
export const inboxPushAndWait: Command = {
  ...inboxPush,

  async run(io, args) {
    const stage = parseStage(args)
    if (stage === undefined) return inboxPush.run(io, args)
    const message = await readMessage(io, args)
    const timeoutMs = requireDuration(args.get('timeout') ?? DEFAULT_TIMEOUT)
    const postern = await io.open()
    const result = await postern.inbox.push(message)
    const receipt = await postern.inbox.waitFor({ id: result.id, stage, timeoutMs })
    answer(io, { ...result, receipt }, `${describePush(result)}, and ${stage}`)
    return undefined
  },
}

function parseStage(args: Args): ReceiptStage | undefined {
  const stage = args.get('wait-for')
  if (stage === undefined || RECEIPT_STAGES.includes(stage as ReceiptStage)) return stage as ReceiptStage | undefined
  throw usage(inboxPush, `--wait-for takes ${RECEIPT_STAGES.join(', ')}`)
}
