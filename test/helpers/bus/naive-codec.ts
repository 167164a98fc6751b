import type { WholeDraft } from '../../../src/bus/codec/format.ts'

/** A reader of the seed's format that knows nothing of ours: a line of dashes ends a header, and a body. */
export interface NaiveReader {
  readonly lineEnd: RegExp
  isRule(line: string): boolean
}

export interface NaiveEntry {
  readonly msg_id: string
  readonly body: string
}

/** Those that one may meet. */
export const NAIVE_READERS: Readonly<Record<string, NaiveReader>> = {
  'takes lines as they are': { lineEnd: /\n/, isRule: (line) => line === '---' },
  'trims lines': { lineEnd: /\r?\n/, isRule: (line) => line.trim() === '---' },
  'takes any number of dashes': { lineEnd: /\r\n|\n|\r/, isRule: (line) => /^\s*-{3,}\s*$/.test(line) },
  'splits lines as Unicode does': {
    lineEnd: /\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/,
    isRule: (line) => line.trim() === '---',
  },
}

export function readNaively(bytes: Buffer, { lineEnd, isRule }: NaiveReader): NaiveEntry[] {
  const entries: { msg_id: string; body: string[] }[] = []
  let header: string[] | undefined
  let isBody = false
  for (const line of bytes.toString().split(lineEnd)) {
    if (!isRule(line)) {
      if (header !== undefined) header.push(line)
      else if (isBody) entries.at(-1)?.body.push(line)
    } else if (header === undefined) {
      header = []
      isBody = false
    } else {
      const msg_id = readId(header)
      isBody = msg_id !== undefined
      if (msg_id !== undefined) entries.push({ msg_id, body: [] })
      header = undefined
    }
  }
  return entries.map(({ msg_id, body }) => ({ msg_id, body: body.join('\n') }))
}

/** As a YAML parser would: a line that is no part of a map spoils it all. */
function readId(header: readonly string[]): string | undefined {
  if (!header.every((line) => /^(?:[\w"]| {2,}|$)/.test(line))) return undefined
  return header.find((line) => line.startsWith('msg_id: '))?.slice('msg_id: '.length)
}

/** A writer of the seed's format as one would write it first. */
export function formatNaively({ msg_id, ts, type, project_id, body }: WholeDraft): Buffer {
  const header = `---\nmsg_id: ${msg_id}\nts: ${ts}\ntype: ${JSON.stringify(type)}\nproject_id: ${JSON.stringify(project_id)}\n---\n`
  return Buffer.concat([Buffer.from(header), body, Buffer.from('\n')])
}
