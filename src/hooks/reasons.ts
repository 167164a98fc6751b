import { LINE, neutraliseTo } from '../render/neutralise.ts'

const MAX_SHOWN = 10
const REASON_CHARACTERS = 600

/** Gates and why they are there. The reasons are somebody else's words: they can pose as nothing but lines of this list. */
export function listReasons(
  heading: string,
  gates: readonly { readonly name: string; readonly reason: string }[],
): string {
  const lines = gates.slice(0, MAX_SHOWN).map(({ name, reason }) => `  - ${shown(name)}: ${shown(reason)}`)
  const more = gates.length > MAX_SHOWN ? [`  - and ${gates.length - MAX_SHOWN} more: postern gate list`] : []
  return [heading, ...lines, ...more].join('\n')
}

function shown(text: string): string {
  return neutraliseTo(REASON_CHARACTERS, text.replace(/\s+/g, ' ').trim(), LINE)
}
