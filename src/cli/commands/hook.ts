import { EXIT } from '../../model/errors.ts'
import type { Command } from '../shell/command.ts'
import { HOOK_FORM } from './hook/hook.ts'

/** Known here for its help only: hooks are answered before any other command is even loaded. */
export const hook: Command = {
  ...HOOK_FORM,
  // What comes this far has help among its values and asks for nothing; a hook never fails.
  run: async () => EXIT.ok,
}
