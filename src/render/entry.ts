import type { InboxMessage, ShownForm } from '../model/delivery.ts'
import type { Json } from '../model/json.ts'
import type { Attachment, Quote } from '../model/message.ts'
import { type Door, QUOTE, quoteLines, SHELL } from './fence.ts'
import { BLOCK, LINE, neutralise, neutraliseTo } from './neutralise.ts'
import { authorOf, provenanceLine, token } from './provenance.ts'
import { isRepetition } from './repetition.ts'

const SUBJECT_CHARACTERS = 300
const REF_CHARACTERS = 200
const HEADLINE_CHARACTERS = 120
const WHAT_CHARACTERS = 40
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
  return [...aboutLines(message), ...quoteLines(words), `├  headline only · ${fetch}`]
}

function wholeLines(message: InboxMessage, fetch: string): readonly string[] {
  const lines = [...aboutLines(message)]
  const { subject, content, payload } = message
  if (subject !== null && subject !== content) lines.push(fieldLine(SUBJECT_CHARACTERS, 'subject', subject))
  if (content !== '') lines.push(...quoteLines(neutralise(content, BLOCK)))
  lines.push(...message.attachments.flatMap(attachmentLines))
  if (payload !== null && !isRepetition(payload, content)) lines.push(...dataLines('payload', payload, fetch))
  if (message.context !== null) lines.push(...dataLines('context', message.context, fetch))
  // They come last: the name of another author must not stand above the sender's own words.
  lines.push(...(message.quotes ?? []).flatMap(passedOnLines))
  return lines
}

/** Words of another author, under their name. */
function passedOnLines({ what, from, text }: Quote): readonly string[] {
  return [
    `├  ${neutraliseTo(WHAT_CHARACTERS, what, LINE)} · from ${authorOf(from)}`,
    ...quoteLines(neutralise(text, BLOCK)),
  ]
}

/** The work item that the sender names. */
function aboutLines({ ref }: InboxMessage): readonly string[] {
  return ref === null ? [] : [fieldLine(REF_CHARACTERS, 'about', ref)]
}

/** A field of one line. Its words are the sender's, so the line counts as quoted. */
function fieldLine(max: number, name: string, text: string): string {
  return `${QUOTE} ${name}: ${neutraliseTo(max, text, LINE)}`
}

function attachmentLines({ name, bytes, sha256, path, url }: Attachment): readonly string[] {
  const location = path ?? url
  return [
    `├  attachment · ${bytes} bytes · sha256 ${token(sha256.slice(0, CHECKSUM_CHARACTERS))}`,
    fieldLine(LOCATION_CHARACTERS, 'name', name),
    ...(location === undefined ? [] : [fieldLine(LOCATION_CHARACTERS, 'at', location)]),
  ]
}

function dataLines(label: string, data: Json, fetch: string): readonly string[] {
  const json = JSON.stringify(data)
  const shown = neutraliseTo(DATA_CHARACTERS, json, LINE)
  const note = shown.endsWith('…') ? ` · beginning only, ${json.length} characters · ${fetch}` : ''
  return [`├  ${label}${note}`, ...quoteLines(shown)]
}
