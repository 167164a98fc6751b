import type { PosternEvent } from '../../../model/network/event.ts'
import { quoted } from '../../../render/provenance.ts'

const MOST_CHARACTERS = 500

type Data = Readonly<Record<string, unknown>>

/** What an event says, for somebody who reads along. Words of others stand between quotes, which they cannot close. */
export function describeEvent({ type, subject, data: given }: PosternEvent): string {
  const data = given as Data
  const [noun = '', verb = ''] = type.split('.')
  return (SENTENCES[noun] ?? plain)({ verb, subject, data })
}

interface Told {
  readonly verb: string
  readonly subject: string
  readonly data: Data
}

const SENTENCES: Readonly<Record<string, (told: Told) => string>> = {
  message: ({ subject, data }) =>
    `${nameOf(data['from'])} → ${list(data['to'])}: ${quotedText(data['subject']) || text(data['type'])} (${subject})`,
  delivery: ({ verb, data }) => `${text(data['agent'])} ${DELIVERED[verb] ?? verb} ${list(data['messages'])}`,
  gate: ({ verb, data }) =>
    verb === 'opened'
      ? `${text(data['agent'])} is held: ${quotedText(data['reason'])}`
      : `${text(data['agent'])}, ${quotedText(data['reason'])}: ${verb} by ${text(data['closedBy']) || 'nobody'} ${said(data['closedReason'])}`,
  decision: ({ verb, data }) =>
    verb === 'created'
      ? `${text(data['agent'])} asks ${list(data['asked'])}: ${quotedText(data['question'])}`
      : `${quotedText(data['question'])}: ${verb} ${[text(data['by']), text(data['selected'])].filter(Boolean).join(': ')}`,
  session: ({ verb, data }) => `${text(data['agent'])} ${SESSIONS[verb] ?? verb} (${text(data['host'])})`,
  space: ({ verb, data }) => {
    const who = nameOf(data['from']) || text(data['agent'])
    return `${who} ${verb} ${named(data['name']) || text(data['id'])}`.trim()
  },
  plan: ({ verb, data }) => `the plan ${named(data['name'])} of ${text(data['agent'])}: ${verb}`,
  service: ({ verb, data }) => `the service ${text(data['name'])} of ${text(data['agent'])}: ${verb}`,
}

const DELIVERED: Readonly<Record<string, string>> = {
  seen: 'has seen',
  acted: 'has dealt with',
  released: 'gave back',
  held: 'does not get yet',
  expired: 'was never shown',
  cancelled: 'does not get any more',
  dead: 'could not be shown',
  requeued: 'gets again',
}

const SESSIONS: Readonly<Record<string, string>> = {
  begun: 'begins to work',
  active: 'works again',
  idle: 'rests',
  ended: 'has ended',
}

function plain({ verb, subject, data }: Told): string {
  return `${named(data['displayName']) || subject}: ${verb}`
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The words of others between quotes; nothing if there are none. */
function quotedText(value: unknown): string {
  return text(value) === '' ? '' : quoted(MOST_CHARACTERS, text(value))
}

/** A name as it is if it is one plain word, else between quotes. */
function named(value: unknown): string {
  return /^[\w.-]+$/.test(text(value)) ? text(value) : quotedText(value)
}

function said(value: unknown): string {
  return text(value) === '' ? '' : `(${quotedText(value)})`
}

function nameOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? text((value as Data)['id']) : ''
}

function list(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : ''
}
