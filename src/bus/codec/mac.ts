import type { BusEntry, BusPlace } from '../../model/bus/entry.ts'
import { placeName } from '../../model/bus/place.ts'
import { withoutHeaderChecksum } from './header-checksum.ts'
import type { ScannedEntry } from './scanned.ts'

/** A key for the MACs of entries. A MAC is 64 hexadecimal digits. */
export interface MacKey {
  macOf(data: Uint8Array): string
  isMacOf(data: Uint8Array, mac: string): boolean
}

/** Where the key of this machine comes from. Neither call throws: undefined means that there is no usable key. */
export interface MacKeys {
  find(): MacKey | undefined
  findOrMake(): MacKey | undefined
}

/** The MAC of an entry as its file has it, and the header that it is said to cover: all but the MAC and the checksum. */
export interface MacClaim {
  readonly mac: string
  readonly header: Buffer
}

/** The line has one place, so that a header with a MAC can be made from a header without one in one way only. */
const MAC_LINE = /msg_id: [^\n]*\nts: [^\n]*\n(postern_mac: ([0-9a-f]{64})\n)/y

export function formatMacLine(mac: string): string {
  return `postern_mac: ${mac}\n`
}

export const MAC_LINE_BYTES = formatMacLine('0'.repeat(64)).length

/** The claim of the header between two places of a text that has one character for each byte. */
export function readMacClaim(text: string, from: number, to: number): MacClaim | undefined {
  MAC_LINE.lastIndex = from
  const [, line = '', mac] = MAC_LINE.exec(text) ?? []
  if (mac === undefined) return undefined
  const after = MAC_LINE.lastIndex
  const header = withoutHeaderChecksum(text.slice(from, after - line.length) + text.slice(after, to))
  return { mac, header: Buffer.from(header, 'latin1') }
}

/**
 * What a MAC covers: the bus, and the header with its id, time, type, writer and the checksum of its body. An entry that
 * is edited, or copied to another bus, no longer has the right MAC.
 */
export function macData(place: BusPlace, header: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${placeName(place)}\n`), header])
}

/**
 * Returns the entries of a bus with what Postern can prove of them. `meta.from_verified` is false as an entry is scanned,
 * whatever its file says, and true here if its MAC is right. The key is looked for once, and only if an entry has a MAC.
 */
export function createProver(place: BusPlace, keys: MacKeys | undefined): (item: ScannedEntry) => BusEntry {
  let key: { readonly found: MacKey | undefined } | undefined
  return ({ entry, claim }) => {
    if (claim === undefined) return entry
    key ??= { found: keys?.find() }
    if (key.found?.isMacOf(macData(place, claim.header), claim.mac) !== true) return entry
    return { ...entry, meta: { ...entry.meta, from_verified: true } }
  }
}
