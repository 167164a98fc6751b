import { join } from 'node:path'
import { defineGroup, isText } from './group.ts'

/** Where the files of the buses are. */
export interface BusSettings {
  readonly root: string
  /** Files outside the root, by `project` or `project/task`. */
  readonly files?: Readonly<Record<string, string>>
  /** A larger file is archived before the next entry; 0: never. */
  readonly rotateBytes?: number
}

/** The default root, which the Markdown message bus had before it was part of Postern. */
const ROOT = 'run-agent'
const GIB = 1024 ** 3

export const BUS = defineGroup<Required<Omit<BusSettings, 'files'>>>('bus', {
  root: {
    variable: 'POSTERN_BUS_ROOT',
    default: '`~/run-agent`',
    help: 'a folder; a relative one starts beside the file that names it',
    parse(value = join(process.getBuiltinModule('node:os').homedir(), ROOT), place) {
      if (!isText(value)) throw place.fault('is not a folder')
      return place.resolve(value)
    },
  },
  rotateBytes: {
    default: '1,073,741,824 (1 GiB)',
    help: 'a file of this size is archived before the next entry; 0: never',
    parse(value = GIB, place) {
      if (!Number.isSafeInteger(value) || (value as number) < 0) throw place.fault('is not a whole number of bytes')
      return value as number
    },
  },
})
