import type { ConfigSources } from '../../host/config/config.ts'
import type { Args } from './command.ts'

const FLAGS = ['home', 'store', 'url', 'wire']

/** What the words say about where things are kept. */
export function configFlags(args: Args): ConfigSources['flags'] {
  return Object.fromEntries(FLAGS.flatMap((name) => (args.has(name) ? [[name, args.get(name)]] : [])))
}
