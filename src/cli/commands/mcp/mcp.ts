import { existsSync } from 'node:fs'
import { findBus } from '../../../host/bus/bus-context.ts'
import { BUS } from '../../../host/config/bus.ts'
import { isPostgres } from '../../../host/config/config.ts'
import { readVariable } from '../../../host/config/variables.ts'
import { workingFolder } from '../../../host/config/working-folder.ts'
import { personBefore } from '../../../host/person-voice.ts'
import { findEnding, parseProcess, settleLeftOffers } from '../../../mcp/left-offers.ts'
import type { ToolCosts } from '../../../mcp/tool-sets.ts'
import type { Postern } from '../../../model/postern.ts'
import { showField } from '../../../render/terminal.ts'
import type { Args, Command, Io } from '../../shell/command.ts'
import { HOST_PROGRAMS } from '../../shell/outside-hosts.ts'
import { usage } from '../../shell/parse.ts'
import { answer } from '../../shell/print.ts'
import { catchSignals, goOnUntilStopped } from '../../shell/stop-signals.ts'
import { formatTable } from '../../shell/table.ts'

const MAX_LINE = 500

export const mcp: Command = {
  path: 'mcp',
  isLasting: true,
  summary: "Offer an agent's tools to its host: MCP on stdin and stdout.",
  options: [
    { name: 'agent', value: '<agent>', summary: 'whose tools these are (default: your own)' },
    { name: 'tools', value: '<set>', summary: 'core (default), or seeds: with the further names of the seeds' },
    { name: 'session', value: '<id>', summary: "the host's session (default: as the host says)" },
    {
      name: 'person',
      value: '<person>',
      summary: 'who sits before the host: asked at once where it can show a dialogue',
    },
    { name: 'channel', summary: 'wake Claude Code through its channel when mail comes' },
    { name: 'cost', summary: 'tell what the tools cost a model, and end' },
    {
      name: 'left',
      value: '<offer>',
      multiple: true,
      isInternal: true,
      summary: 'settle this offer of a server that was killed, and end',
    },
    { name: 'in-good-order', isInternal: true, summary: 'with --left: the client ended the connection in good order' },
    {
      name: 'client',
      value: '<process>',
      isInternal: true,
      summary: 'with --left: the process that started the server',
    },
  ],
  examples: ['postern mcp --agent quinn', 'postern mcp --cost', 'claude mcp add postern -- postern mcp --agent quinn'],

  async run(io, args) {
    if (args.has('left')) return settleKilled(io, args)
    // Most commands never speak it, so what it takes is a part of its own.
    const { serveMcp, findTools, costOf } = await import('../../../mcp/mcp-stdio.ts')
    const tools = findTools(args.get('tools') ?? 'core')
    if (!tools) throw usage(mcp, '--tools takes core or seeds')
    if (args.has('cost')) return tellCost(io, costOf(tools))
    const { places, postern } = await openPlaces(io)
    await goOnUntilStopped(async (stopped) => {
      await serveMcp({
        postern,
        tools,
        places,
        sessionId: args.get('session') ?? sessionOf(process.env),
        person: personOf(args, postern),
        hasChannel: args.has('channel'),
        command: ownCommand(),
        stopped,
        note: (line) => io.stderr.line(`postern: ${showField(line, MAX_LINE)}`),
      })
    })
    return undefined
  },
}

/**
 * Settles the offers that a killed server has left. This process is in the server's process group, so it ignores the
 * signals that were meant for the server.
 */
async function settleKilled(io: Io, args: Args): Promise<undefined> {
  catchSignals()
  const client = parseProcess(args.get('client') ?? '')
  const ending = await findEnding({ isInGoodOrder: args.has('in-good-order'), client })
  // Nobody waits for this process, so the store may have been deleted by now. Opening it would create a new one.
  if (io.config.url === null && !isPostgres(io.config.store) && !existsSync(io.config.store)) return
  const { inbox } = await io.open()
  await settleLeftOffers(inbox, args.all('left'), ending)
}

/**
 * The command of this process, so that the agent and the store are the same. Without `--` it takes further options at its
 * end, and without `--inspect` it waits for no debugger.
 */
function ownCommand(): readonly string[] {
  const options = process.execArgv.filter((option) => !option.startsWith('--inspect'))
  return [process.execPath, ...options, ...process.argv.slice(1).filter((word) => word !== '--')]
}

/** As hosts tell the programs that they start. */
function sessionOf(env: NodeJS.ProcessEnv): string | undefined {
  return readVariable(env, 'session') || env['CLAUDE_CODE_SESSION_ID'] || undefined
}

/** The Postern, and what is meant where a tool names no project: what the host was started in, where that is here. */
async function openPlaces(io: Io) {
  const isHere = io.config.url === null
  const cwd = process.env['CLAUDE_PROJECT_DIR'] || workingFolder()
  const settings = io.config.get(BUS)
  const found = findBus({ flags: {}, env: process.env, cwd, root: settings.root })
  const isElsewhere = found !== undefined && Object.keys(found.files).length > 0
  const opened = await io.open(isElsewhere && isHere ? { bus: { ...settings, files: found.files } } : {})
  const { caller } = opened
  // Whoever has shown a token keeps the voice that it gives.
  const postern = caller.verified ? opened : opened.as({ ...caller, via: 'mcp' })
  const isBusKnown = found !== undefined && (isHere || !isElsewhere)
  const bus = isBusKnown ? { ...found.place, ...(found.runId !== undefined && { runId: found.runId }) } : undefined
  return { postern, places: { ...(isHere && { project: cwd }), ...(bus && { bus }) } }
}

function personOf(args: Args, postern: Postern): (() => Promise<Postern>) | undefined {
  const person = args.get('person')
  if (person !== undefined && postern.caller.verified)
    throw usage(mcp, '--person takes the store of this machine: a token speaks for one only')
  return person === undefined
    ? undefined
    : async () => postern.as(await personBefore(postern, person, { via: 'mcp', hostPrograms: HOST_PROGRAMS }))
}

function tellCost(io: Io, costs: ToolCosts): undefined {
  const rows = costs.tools.map(({ name, tokens }) => [name, `${tokens}`])
  const sum = [`${costs.tools.length} tools`, `${costs.total}`]
  answer(io, costs, formatTable(['TOOL', 'TOKENS, ABOUT'], [...rows, sum], io.stdout.columns))
}
