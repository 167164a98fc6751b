import type { BusAttachment, BusEntry, BusLink, BusMeta } from '../model/bus/entry.ts'
import { QUOTE } from './fence.ts'
import { quoted, token } from './provenance.ts'
import { showBlock, showField } from './terminal.ts'

const FIELD_WIDTH = 500
const REFERENCES_NAMED = 10

/**
 * An entry of a bus as people see it: our own line, made of identifiers, then its words, quoted, then what belongs to
 * it. Nothing in an entry can add to our lines, or look like one.
 */
export function renderBusEntry(entry: BusEntry, options: { readonly namesBus?: boolean } = {}): string {
  return [
    `├─ ${headline(entry, options.namesBus === true).join(' · ')}`,
    ...(entry.body === '' ? [] : [showBlock(entry.body.replace(/\r?\n$/, ''))]),
    ...attachmentsOf(entry).map(describeAttachment),
    ...(entry.links ?? []).map(describeLink),
    ...metaLine(entry.meta),
  ].join('\n')
}

function headline({ msg_id, type, ts, project_id, task_id, ...rest }: BusEntry, namesBus: boolean): string[] {
  const { run_id, issue_id, parents = [], body_base64 } = rest
  const bus = task_id === undefined ? `project ${token(project_id)}` : `task ${token(task_id)}`
  const named = parents.slice(0, REFERENCES_NAMED)
  const more = parents.length - named.length
  return [
    token(msg_id),
    token(type),
    token(ts),
    ...(namesBus ? [bus] : []),
    ...writerOf(rest.meta),
    ...(run_id === undefined ? [] : [`run ${token(run_id)}`]),
    ...(issue_id === undefined ? [] : [`issue ${token(issue_id)}`]),
    ...named.map((parent) => `${parent.kind === undefined ? 'after' : token(parent.kind)} ${token(parent.msg_id)}`),
    ...(more > 0 ? [`${more} more`] : []),
    ...(body_base64 === undefined ? [] : ['its body is no text']),
  ]
}

/** Only an entry that Postern has proved by its MAC has `from_verified: true`; of others the file alone names the writer. */
function writerOf(meta: BusMeta | undefined): readonly string[] {
  const from = meta?.['from']
  if (typeof from !== 'string') return []
  return [`from ${token(from)} (${meta?.['from_verified'] === true ? 'verified' : 'as the file says, unverified'})`]
}

function attachmentsOf({ attachments = [], attachment_path }: BusEntry): readonly BusAttachment[] {
  return attachment_path === undefined ? attachments : [{ path: attachment_path }, ...attachments]
}

function describeAttachment({ path, kind, label, size_bytes }: BusAttachment): string {
  const about = [kind, label].filter((part) => part !== undefined).map((part) => quoted(FIELD_WIDTH, part))
  const size = size_bytes === undefined ? [] : [`${size_bytes} bytes`]
  return detail('attached', [quoted(FIELD_WIDTH, path), ...about, ...size])
}

function describeLink({ kind, path, url }: BusLink): string {
  return detail(
    'link',
    [kind, path, url].filter((part) => part !== undefined).map((part) => quoted(FIELD_WIDTH, part)),
  )
}

/** Who wrote it stands in the first line. */
function metaLine(meta: BusMeta | undefined): readonly string[] {
  const others = Object.entries(meta ?? {}).filter(([key]) => key !== 'from' && key !== 'from_verified')
  if (others.length === 0) return []
  return [detail('meta', [showField(JSON.stringify(Object.fromEntries(others)), FIELD_WIDTH)])]
}

function detail(name: string, parts: readonly string[]): string {
  return `${QUOTE} ${name}: ${parts.join(' · ')}`
}
