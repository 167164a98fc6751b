import { EXIT } from '../../../model/errors.ts'
import type { LedgerLabel, Verified, VerifyMark } from '../../../model/ledger/ledgers.ts'
import { isLedgerId } from '../../../model/ledger/topic.ts'
import { isEntityType } from '../../../model/ledger/work-item.ts'
import type { Postern } from '../../../model/postern.ts'
import { showField } from '../../../render/terminal.ts'
import type { Command, Io } from '../../shell/command.ts'
import { usage } from '../../shell/parse.ts'
import { answer, counted } from '../../shell/print.ts'
import { withLabel } from './shown.ts'

const SLICE = 10_000
const MAX_LINE = 1_000

/** What a walk over one topic has found. */
export interface Walk {
  readonly topic: string
  /** Where what is held of it begins. */
  readonly heldFrom: number
  readonly entries: number
  /** Of the last entry that was good. */
  readonly runningHash: string
  readonly bad: Verified['bad']
}

export const ledgerVerify: Command = {
  path: 'ledger verify',
  isForAnyone: true,
  summary: 'Walk a topic, all of them, or a proof in a file, and name the first entry that is not as it must be.',
  operands: '[topic|file]',
  options: [{ name: 'all', summary: 'every topic that is held here whole' }],
  examples: ['postern ledger verify 0.0.1005', 'postern ledger verify --all', 'postern ledger verify proof.jsonl'],

  async run(io, args) {
    const [named] = args.operands
    if ((named === undefined) !== args.has('all')) throw usage(ledgerVerify, 'Name a topic or a file, or say --all')
    if (named !== undefined && !isTopic(named)) return verifyFile(io, named)
    const postern = await io.open()
    const { ledger } = await postern.ledger.status()
    const topics = named === undefined ? await ownTopics(postern, ledger) : [named]
    const walks: Walk[] = []
    for (const topic of topics) walks.push(await walk(io, postern, topic))
    return conclude(io, ledger, walks)
  },
}

/** A work item or an id; anything else is the name of a file. */
function isTopic(named: string): boolean {
  return isEntityType(named.split(':')[0]) || isLedgerId(named)
}

/** A proof stands for itself: no store is opened for it. */
async function verifyFile(io: Io, path: string): Promise<number> {
  const { verifyProof } = await import('../../../host/ledger/proof.ts')
  const { ledger, topic, entries, runningHash, bad } = await verifyProof(path)
  return conclude(io, ledger, [{ topic, heldFrom: 1, entries, runningHash, bad }], claimOf(ledger, runningHash))
}

/** Whoever writes a file may name any network in it. */
function claimOf({ network, public_consensus: isPublic }: LedgerLabel, runningHash: string): readonly string[] {
  if (!isPublic) return []
  return [
    `Only the file says that this is on ${network}: a mirror must have the same last running hash, ${runningHash}`,
  ]
}

/**
 * Elsewhere nothing is held of topics that are not listened to, and of somebody else's only a part: that from where its
 * answer was waited for.
 */
async function ownTopics(postern: Postern, { kind }: LedgerLabel): Promise<readonly string[]> {
  const topics = await postern.ledger.topics({})
  return topics
    .filter(({ role, sequence }) => kind === 'local' || (role !== 'foreign' && sequence > 0))
    .map(({ id }) => id)
}

async function walk(io: Io, postern: Postern, topic: string): Promise<Walk> {
  let after: VerifyMark | undefined
  for (let entries = 0; ; ) {
    const step = await postern.ledger.verify({ topic, limit: SLICE, ...(after && { after }) })
    entries += step.entries
    after = step.mark
    const { heldFrom, bad } = step
    if (step.isDone || bad) return { topic: step.topic, heldFrom, entries, runningHash: step.mark.runningHash, bad }
    io.stderr.line(showField(`${step.topic}: ${entries} entries are good so far`, MAX_LINE))
  }
}

function conclude(io: Io, ledger: LedgerLabel, topics: readonly Walk[], claim: readonly string[] = []): number {
  const isSound = topics.every(({ bad }) => bad === null)
  const found = topics.length === 0 ? ['There is no topic.'] : topics.map((each) => describe(ledger, each))
  const lines = [...found, ...claim]
  answer(io, { ledger, isSound, topics }, withLabel(lines, ledger))
  return isSound ? EXIT.ok : EXIT.failed
}

function describe({ kind }: LedgerLabel, { topic, heldFrom, entries, bad }: Walk): string {
  const part = heldFrom === 1 ? '' : ` (held here from number ${heldFrom} on, which is believed)`
  if (bad) return `${topic}: BAD at number ${bad.sequence}: ${bad.reason}${part}`
  if (entries === 0 && kind !== 'local') return `${topic}: nothing of it is held here`
  return `${topic}: good, ${counted(entries, 'entry', 'entries')}${part}`
}
