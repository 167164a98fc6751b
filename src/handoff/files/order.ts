import { type HandoffItem, ITEM_PRIORITIES } from '../../model/handoff/item.ts'

/** An item, with what is known of its file. */
export interface DatedItem {
  readonly item: HandoffItem
  readonly mtimeMs: number
}

const SECONDS = /^(\d{9,11})(?=\D)/

/** Urgent first, then the oldest; by name where that is all the same. */
export function inOrder(dated: readonly DatedItem[]): HandoffItem[] {
  return dated
    .map((each) => ({ item: each.item, rank: ITEM_PRIORITIES.indexOf(each.item.priority), at: createdAt(each) }))
    .sort((a, b) => a.rank - b.rank || a.at - b.at || compare(a.item.name, b.item.name))
    .map(({ item }) => item)
}

/** By its own word, else by its name, else by its file. */
function createdAt({ item: { created, name }, mtimeMs }: DatedItem): number {
  const said = created === null ? Number.NaN : Date.parse(created)
  if (!Number.isNaN(said)) return said
  const [, seconds] = SECONDS.exec(name) ?? []
  return seconds === undefined ? mtimeMs : Number(seconds) * 1_000
}

/** By code units, in which digits come before letters. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
