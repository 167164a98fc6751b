import { dirname, join, resolve } from 'node:path'
import { PosternError } from '../../model/errors.ts'
import type { Config } from './config.ts'

/** Where buses lie. */
export interface BusSettings {
  readonly root: string
  /** Files that lie elsewhere, by `project` or `project/task`. */
  readonly files?: Readonly<Record<string, string>>
  /** A file that is larger is set aside before the next entry; 0: never. */
  readonly rotateBytes?: number
}

/** As the seed has it. */
const ROOT = 'run-agent'
const GIB = 1024 ** 3
const DEFAULT_ROTATE_BYTES = 1 * GIB

const SETTINGS = ['root', 'rotateBytes']

/** What a configuration says of buses; apart from the rest, because few commands need it. */
export function readBusSettings({
  bus,
  origins,
  home,
}: Pick<Config, 'bus' | 'origins' | 'home'>): Required<Omit<BusSettings, 'files'>> {
  const invalid = (name: string, reason: string) =>
    new PosternError('CONFIG_INVALID', { path: origins[`bus.${name}`] ?? home, reason: `"bus.${name}" ${reason}` })
  for (const name of Object.keys(bus)) if (!SETTINGS.includes(name)) throw invalid(name, 'is not a setting')
  const { root = defaultRoot(), rotateBytes = DEFAULT_ROTATE_BYTES } = bus
  if (typeof root !== 'string' || root === '') throw invalid('root', 'is not a folder')
  if (!Number.isSafeInteger(rotateBytes) || (rotateBytes as number) < 0)
    throw invalid('rotateBytes', 'is not a whole number of bytes')
  // A file that names a folder means one beside itself.
  return { root: resolve(dirname(origins['bus.root'] ?? ''), root), rotateBytes: rotateBytes as number }
}

/** Node's part for it is loaded on use: whoever has named a root needs none. */
export function defaultRoot(): string {
  return join(process.getBuiltinModule('node:os').homedir(), ROOT)
}
