import { PosternError } from '../errors.ts'

export const SPACE_JOININGS = ['invited', 'open'] as const
export type SpaceJoining = (typeof SPACE_JOININGS)[number]

export const SPACE_READINGS = ['joined', 'all'] as const
export type SpaceReading = (typeof SPACE_READINGS)[number]

/** Returns `invited` or `open`, or refuses the value. */
export function parseJoining(value: string): SpaceJoining {
  return oneOf('joining', SPACE_JOININGS, value)
}

/** Returns `joined` or `all`, or refuses the value. */
export function parseReading(value: string): SpaceReading {
  return oneOf('history', SPACE_READINGS, value)
}

function oneOf<T extends string>(field: string, known: readonly T[], value: string): T {
  const found = known.find((each) => each === value)
  if (found !== undefined) return found
  throw new PosternError('VALUE_INVALID', { field: `${field} of a space`, value, next: `Use ${known.join(' or ')}.` })
}
