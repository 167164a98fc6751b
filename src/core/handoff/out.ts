import type { HandoffRoot } from '../../handoff/handoff-shelf.ts'
import type { HandoffPlace, OutboxFile, WriteOut } from '../../model/handoff/handoff.ts'
import { parseText } from '../../model/text.ts'
import type { Context } from '../context.ts'
import { dayOf, invalid, parseBody, sessionOf } from './draft.ts'
import { requireRoot } from './place.ts'

const TEXT_BYTES = 1024 * 1024
const TOPIC_BYTES = 300
const KIND = /^[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?$/
const REPORT = 'governance-report'

/** Writes for consumers outside. A report has the form that they expect; other kinds are written as they are. */
export async function writeOut(ctx: Context, input: WriteOut): Promise<OutboxFile> {
  const { kind } = input
  if (!KIND.test(kind)) throw invalid('a kind is written in lower-case letters, digits and "-"')
  const text = parseBody(input.text, TEXT_BYTES)
  if (input.topic !== undefined && kind !== REPORT) throw invalid(`only a ${REPORT} has a topic`)
  const handoffs = await ctx.handoff()
  const root = await requireRoot(ctx, handoffs, input)
  return handoffs.writeOut(root, { kind, text: kind === REPORT ? report(root, input, ctx.store.now()) : text })
}

/** As seed 004 has it. */
function report(root: HandoffRoot, { topic, session, text }: WriteOut, now: number): string {
  const title = topic === undefined ? root.repo : parseTopic(topic)
  return [
    `# Governance Report: ${title}`,
    '',
    `**Session:** ${sessionOf(session, root, now)}`,
    `**Date:** ${dayOf(now)}`,
    '',
    text.replace(/\r?\n$/, ''),
    '',
  ].join('\n')
}

function parseTopic(written: string): string {
  const topic = parseText('topic', written, TOPIC_BYTES).trim()
  if (topic !== '' && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(topic)) return topic
  throw invalid('a topic is one line of visible words')
}

export async function listOut(ctx: Context, place: HandoffPlace): Promise<readonly OutboxFile[]> {
  const handoffs = await ctx.handoff()
  return handoffs.listOut(await requireRoot(ctx, handoffs, place))
}
