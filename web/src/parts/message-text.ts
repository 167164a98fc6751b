import type { Message } from '../../../src/model/message.ts'
import type { Tone } from './bits.tsx'

const PREVIEW = 240

/** Markdown without its marks, in one line. */
export function previewOf(content: string): string {
  return content
    .slice(0, PREVIEW * 2)
    .replace(/^[#>\s`*-]+/gm, ' ')
    .replace(/[`*]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, PREVIEW)
}

/** What a message is called in a list: its subject, or how it begins. */
export function headlineOf({ subject, content }: Pick<Message, 'subject' | 'content'>): string {
  return subject?.trim() || previewOf(content) || '(empty)'
}

const TYPE_TONES: Readonly<Record<string, Tone>> = {
  decision: 'violet',
  alert: 'red',
  gate: 'amber',
  plan: 'teal',
  service: 'blue',
  space_message: 'blue',
}

export function toneOfType(type: string): Tone {
  return TYPE_TONES[type] ?? (type.endsWith('.blocked') ? 'amber' : 'plain')
}

const STATE_TONES: Readonly<Record<string, Tone>> = {
  pending: 'amber',
  offered: 'blue',
  seen: 'green',
  acted: 'green',
  held: 'violet',
  expired: 'plain',
  cancelled: 'plain',
  dead: 'red',
}

export function toneOfState(state: string): Tone {
  return STATE_TONES[state] ?? 'plain'
}
