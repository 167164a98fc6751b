import { z } from 'zod'
import { label, ledgerId, parcelOnItsWay, publishMode, sequenceOnItsWay } from './schemas.ts'

/** What was written on the topic of a work item, and who is told of it. */
export const posted = z.object({
  ledger: label,
  entity: z.string(),
  publish: publishMode,
  topic_id: ledgerId.nullable().describe('Null while it is on its way, and where nothing is published.'),
  sequence: sequenceOnItsWay,
  parcel: parcelOnItsWay,
  notified: z.array(z.string()),
  skipped: z.array(z.string()).describe('Named, but not registered, and therefore not told.'),
})
