import { join, resolve } from 'node:path'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { PosternError } from '../../model/errors.ts'
import { type GroupName, HOME_FILE } from './config-file.ts'

/** One setting of a group: where it may be set, how it is parsed, and what it means. */
export interface Setting<T> {
  /** One line for people; docs/reference/config.md shows it. */
  readonly help: string
  /** The default as docs/reference/config.md shows it. */
  readonly default: string
  /** The environment variable that sets it. */
  readonly variable?: string
  /** The option of the command line that sets it. */
  readonly flag?: 'wire'
  /** Turns the written value into a typed one. Undefined means that nothing is set. */
  parse(value: unknown, place: ValuePlace): T
}

/** Where a value is written, for errors and relative paths. */
export interface ValuePlace {
  /** Returns the error for a wrong value. `part` names a part of it, such as `types.note`. */
  fault(reason: string, part?: string): PosternError
  /** Makes a path absolute. A relative one starts in the folder of the file that sets it, or in the working folder. */
  resolve(path: string): string
}

/** A value as it is set by a flag, a variable or a file. */
export interface WrittenValue {
  readonly value: unknown
  /** `--wire`, `POSTERN_WIRE`, or the path of a file. */
  readonly origin: string
  /** The folder that relative paths start from: that of the file, or the working folder. */
  readonly folder: string
}

/** Everything that flags, environment and files set. The first source that names a key decides. */
export interface WrittenSettings {
  readonly home: string
  /** Every key of a group that files set: the user's first, then those that only the project sets. */
  keys(group: GroupName): readonly string[]
  find(group: GroupName, key: string, setting?: Pick<Setting<unknown>, 'flag' | 'variable'>): WrittenValue | undefined
  /** The entries of a list that both files may add to, the project's first. */
  list(name: 'hooks'): readonly Omit<WrittenValue, 'folder'>[]
}

/** Settings that are parsed together, on first use. */
export interface Group<T> {
  readonly name: GroupName | 'hooks'
  parse(written: WrittenSettings): T
}

/** A group whose settings are known by name. */
export interface SettingsGroup<V, T> extends Group<T> {
  readonly name: GroupName
  readonly settings: { readonly [K in keyof V]: Setting<V[K]> }
  /** The value of each setting, before `parse` derives anything from them. */
  values(written: WrittenSettings): V
}

/** Declares a group. `derive` turns the values into what the program uses, if that differs. */
export function defineGroup<V>(name: GroupName, settings: SettingsGroup<V, V>['settings']): SettingsGroup<V, V>
export function defineGroup<V, T>(
  name: GroupName,
  settings: SettingsGroup<V, T>['settings'],
  derive: (values: V, placeOf: (key: string) => ValuePlace) => T,
): SettingsGroup<V, T>
export function defineGroup<V, T>(
  name: GroupName,
  settings: SettingsGroup<V, T>['settings'],
  derive?: (values: V, placeOf: (key: string) => ValuePlace) => T,
): SettingsGroup<V, T | V> {
  const placeIn = (written: WrittenSettings) => (key: string) =>
    placeOf(written, `${name}.${key}`, written.find(name, key, settings[key as keyof V]))

  function values(written: WrittenSettings): V {
    for (const key of written.keys(name)) {
      if (!Object.hasOwn(settings, key)) throw placeIn(written)(key).fault('is not a setting')
    }
    const parsed = Object.entries<Setting<unknown>>(settings).map(([key, setting]) => {
      const found = written.find(name, key, setting)
      return [key, setting.parse(found?.value, placeOf(written, `${name}.${key}`, found))]
    })
    return Object.fromEntries(parsed) as V
  }

  return {
    name,
    settings,
    values,
    parse: (written) => (derive ? derive(values(written), placeIn(written)) : values(written)),
  }
}

function placeOf({ home }: WrittenSettings, name: string, found: WrittenValue | undefined): ValuePlace {
  const { origin: path, folder } = found ?? { origin: join(home, HOME_FILE), folder: home }
  return {
    fault(reason, part) {
      const setting = part === undefined ? name : `${name}.${part}`
      return new PosternError('CONFIG_INVALID', { path, reason: `"${setting}" ${reason}` })
    },
    resolve: (relative) => resolve(folder, relative),
  }
}

/** The error for a wrong group, with the files that set it. */
export function refusal(
  error: unknown,
  { home }: WrittenSettings,
  values: readonly (Pick<WrittenValue, 'origin'> | undefined)[],
): PosternError {
  const files = new Set(values.flatMap((found) => found?.origin ?? []))
  return new PosternError('CONFIG_INVALID', { path: [...files].join(', ') || home, reason: reasonOf(error) })
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
