import { isSurelyQuiet } from '../store/sqlite/peek.ts'
import { type Config, isPostgres } from './config.ts'

/** True where certainly nothing waits for an agent; false where that cannot be known quickly. */
export function isQuiet({ store, url }: Config, agent: string, now: number): boolean {
  return url === null && !isPostgres(store) && isSurelyQuiet(store, agent, now)
}
