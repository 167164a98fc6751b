import { createSemaphore } from '../pure/semaphore.ts'
import { type RunOptions, type RunOutcome, runCommand } from './run-command.ts'

/** However many ask at once, the machine has to bear it. */
const AT_ONCE = 32

const inTurn = createSemaphore(AT_ONCE)

/** Runs a command in a shell when it is its turn among those of this process. Its time begins then. */
export function runInTurn(command: string, options: RunOptions): Promise<RunOutcome> {
  return inTurn(() => runCommand(command, options))
}
