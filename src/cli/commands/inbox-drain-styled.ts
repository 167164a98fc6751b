import { renderLines } from '../../render/lines.ts'
import type { Command } from '../shell/command.ts'
import { usage } from '../shell/parse.ts'
import { drainAs, type Format, inboxDrain } from './inbox/drain.ts'

/** `inbox drain` in every style: the fence, or seed 001's format of one line a message. */
export const inboxDrainStyled: Command = {
  ...inboxDrain,

  async run(io, args) {
    const style = args.get('style') ?? 'fence'
    if (style === 'fence') return inboxDrain.run(io, args)
    if (style !== 'lines') throw usage(inboxDrain, '--style takes fence or lines')
    if (args.has('max-chars') || args.has('max-tokens')) {
      throw usage(inboxDrain, 'Room is measured for the fence only; bound lines by --limit')
    }
    return drainAs(io, args, inLines)
  },
}

const inLines: Format = (io, { messages }) => (messages.length === 0 ? '' : renderLines(messages, io.now()))
