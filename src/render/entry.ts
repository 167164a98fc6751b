import type { InboxMessage, ShownForm } from '../model/delivery.ts'
import type { Json } from '../model/json.ts'
import type { Attachment } from '../model/message.ts'
import { type Door, quoteLines, SHELL } from './fence.ts'
import { BLOCK, LINE, neutralise, neutraliseTo } from './neutralise.ts'
import { provenanceLine, quoted, token } from './provenance.ts'
import { isRepetition } from './repetition.ts'

const SUBJECT_CHARACTERS = 300
const HEADLINE_CHARACTERS = 120
const DATA_CHARACTERS = 2_000
const LOCATION_CHARACTERS = 300
const CHECKSUM_CHARACTERS = 12

/** The text of one message inside the frame. `number` says which of how many it is. */
export function renderEntry(message: InboxMessage, form: ShownForm, number: string, door: Door = SHELL): string {
  const provenance = provenanceLine(message, number)
  const fetch = `${door.fetch} ${token(message.id)}`
  return [provenance, ...(form === 'headline' ? headlineLines(message, fetch) : wholeLines(message, fetch))].join('\n')
}

function headlineLines(message: InboxMessage, fetch: string): readonly string[] {
  const words = neutraliseTo(HEADLINE_CHARACTERS, message.subject ?? message.content, LINE)
  return [...quoteLines(words), `├  headline only · ${fetch}`]
}

function wholeLines(message: InboxMessage, fetch: string): readonly string[] {
  const lines: string[] = []
  const { subject, content, payload } = message
  if (subject !== null && subject !== content)
    lines.push(`├  subject: ${neutraliseTo(SUBJECT_CHARACTERS, subject, LINE)}`)
  if (content !== '') lines.push(...quoteLines(neutralise(content, BLOCK)))
  lines.push(...message.attachments.map(attachmentLine))
  if (payload !== null && !isRepetition(payload, content)) lines.push(...dataLines('payload', payload, fetch))
  if (message.context !== null) lines.push(...dataLines('context', message.context, fetch))
  return lines
}

function attachmentLine({ name, bytes, sha256, path, url }: Attachment): string {
  const location = path ?? url
  const parts = [
    `${bytes} bytes`,
    `sha256 ${token(sha256.slice(0, CHECKSUM_CHARACTERS))}`,
    quoted(LOCATION_CHARACTERS, name),
  ]
  if (location !== undefined) parts.push(`at ${quoted(LOCATION_CHARACTERS, location)}`)
  return `├  attachment: ${parts.join(' · ')}`
}

function dataLines(label: string, data: Json, fetch: string): readonly string[] {
  const json = JSON.stringify(data)
  const shown = neutraliseTo(DATA_CHARACTERS, json, LINE)
  const note = shown.endsWith('…') ? ` · beginning only, ${json.length} characters · ${fetch}` : ''
  return [`├  ${label}${note}`, ...quoteLines(shown)]
}
