import type { LedgerProfile } from '../../../model/ledger/ledgers.ts'
import { showBlock } from '../../../render/terminal.ts'
import type { Args, Command } from '../../shell/command.ts'
import { ownAgent } from '../../shell/own-agent.ts'
import { usage } from '../../shell/parse.ts'
import { answer } from '../../shell/print.ts'
import { namesIn } from './input.ts'
import { publishOwn } from './publishing.ts'
import { shownLines, withLabel } from './shown.ts'

export const ledgerProfile: Command = {
  path: 'ledger profile',
  isAboutAgent: true,
  summary: 'Show the profile of an agent, or change what it says and publish it again.',
  operands: '[agent]',
  options: [
    { name: 'set-capabilities', value: '<codes>', summary: 'codes of HCS-11 from 0 to 18, such as 4,16,18' },
    { name: 'set-model', value: '<name>', summary: 'the model that it runs on' },
    { name: 'set-bio', value: '<text>', summary: 'what it is for' },
  ],
  examples: [
    'postern ledger profile quinn',
    'postern ledger profile quinn --set-capabilities 4,16 --set-bio "Builds things"',
  ],

  async run(io, args) {
    const change = readChange(args)
    const postern = await io.open()
    const agent = args.operands[0] ?? (await ownAgent(io, args, postern))
    if (agent === undefined) throw usage(ledgerProfile, 'Say whose profile is meant')
    const shown = change
      ? await postern.ledger.setProfile({ agent, ...change })
      : await postern.ledger.profile({ agent })
    answer(io, shown, describe(shown))
    if (change) await publishOwn(io, shown.ledger)
    return undefined
  },
}

interface Change {
  readonly capabilities?: readonly number[]
  readonly model?: string
  readonly bio?: string
}

/** Undefined where nothing is to be changed. */
function readChange(args: Args): Change | undefined {
  const [codes, model, bio] = [namesIn(args, 'set-capabilities'), args.get('set-model'), args.get('set-bio')]
  if (codes.some((code) => !/^\d{1,3}$/.test(code)))
    throw usage(ledgerProfile, '--set-capabilities takes numbers from 0 to 18')
  const hasCodes = args.has('set-capabilities')
  if (!hasCodes && model === undefined && bio === undefined) return undefined
  return {
    ...(hasCodes && { capabilities: codes.map(Number) }),
    ...(model !== undefined && { model }),
    ...(bio !== undefined && { bio }),
  }
}

function describe({ ledger, identity, profile }: LedgerProfile): string {
  const { agent, account, inboundTopicId, outboundTopicId, profileTopicId, uaid } = identity
  const lines = [
    `${agent} · account ${account} · inbound ${inboundTopicId} · outbound ${outboundTopicId}`,
    ...(profileTopicId === null ? ['no profile was published yet'] : [`published as hcs://1/${profileTopicId}`]),
    ...(uaid === null ? [] : [uaid]),
  ]
  return [...shownLines(lines), showBlock(JSON.stringify(profile, null, 2)), withLabel([], ledger)].join('\n')
}
