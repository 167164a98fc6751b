import { PosternError } from '../../model/errors.ts'
import type { LedgerParcel, ParcelStep } from '../../model/ledger/parcel.ts'
import type { Shelves } from '../../store/store.ts'

const NAME = /\{([a-z][a-z0-9._:-]*)\}/gi
const WORK_ITEM = /^\{([a-z]+:[^{}]+)\}$/

type Submission = Extract<ParcelStep, { readonly kind: 'submission' }>

/**
 * A submission as it goes to the ledger, with every topic that was only named. `{task:PROJ-12}` as the whole topic stands
 * for the topic of that work item, which an earlier parcel of the same lane has made.
 */
export async function fillSubmission(
  shelves: Shelves,
  { network, made }: Pick<LedgerParcel, 'network' | 'made'>,
  step: Submission,
): Promise<Submission> {
  const item = WORK_ITEM.exec(step.topicId)?.[1]
  const topicId = item === undefined ? fillText(step.topicId, made) : await topicOfItem(shelves, network, item)
  return { ...step, topicId, text: fillText(step.text, made) }
}

/** Only names that a step has made are replaced: braces of a text that is JSON stay as they are. */
export function fillText(text: string, made: Readonly<Record<string, string>>): string {
  return text.replace(NAME, (whole, name: string) => (Object.hasOwn(made, name) ? (made[name] ?? whole) : whole))
}

async function topicOfItem(shelves: Shelves, network: string, entity: string): Promise<string> {
  const [topic] = await shelves.ledger.listTopics({ network, entity })
  if (topic) return topic.id
  throw new PosternError('LEDGER_TOPIC_NOT_FOUND', { topic: entity, network })
}
