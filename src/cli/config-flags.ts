import type { ConfigSources } from '../host/config.ts'
import type { Args } from './command.ts'

/** What the words say about where things are kept. */
export function configFlags(args: Args): ConfigSources['flags'] {
  const [home, store, url] = [args.get('home'), args.get('store'), args.get('url')]
  return {
    ...(home !== undefined && { home }),
    ...(store !== undefined && { store }),
    ...(url !== undefined && { url }),
  }
}
