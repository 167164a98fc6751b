import { join } from 'node:path'
import { type Config, createConfig } from '../../src/host/config/config.ts'

/** A configuration as if the home's own file said this. */
export function configWith(
  content: Readonly<Record<string, Readonly<Record<string, unknown>> | readonly unknown[]>>,
  home = '/home/anna/.postern',
): Config {
  return createConfig({ flags: {}, env: {}, cwd: home, home, layers: [{ origin: join(home, 'config.json'), content }] })
}
