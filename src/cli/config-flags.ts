import type { ConfigSources } from '../host/config.ts'
import type { Args } from './command.ts'

/** What the words say about where things are kept. */
export function configFlags(args: Args): ConfigSources['flags'] {
  const [home, store] = [args.get('home'), args.get('store')]
  return { ...(home !== undefined && { home }), ...(store !== undefined && { store }) }
}
