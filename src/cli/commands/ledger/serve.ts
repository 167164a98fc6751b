import { isPort } from '../../../host/config/server.ts'
import type { OpenLedgerServer } from '../../../host/ledger/open-server.ts'
import { showField } from '../../../render/terminal.ts'
import type { Args, Command, Io } from '../../shell/command.ts'
import { formatJsonLine } from '../../shell/json.ts'
import { usage } from '../../shell/parse.ts'
import { goOnUntilStopped } from '../../shell/stop-signals.ts'
import { describeLabel } from './shown.ts'

const MAX_LINE = 1_000

export const ledgerServe: Command = {
  path: 'ledger serve',
  isForAnyone: true,
  isLocal: true,
  summary: 'Let clients of Hedera at the local ledger, in their own protocol, on this machine alone.',
  options: [
    { name: 'node-port', value: '<port>', summary: 'where the node answers (default 50211); 0 for any that is free' },
    { name: 'mirror-port', value: '<port>', summary: 'where the mirror streams (default 5600)' },
    { name: 'rest-port', value: '<port>', summary: 'where the mirror answers over HTTP (default 5551)' },
  ],
  examples: ['postern ledger serve', 'postern ledger serve --node-port 0 --mirror-port 0 --rest-port 0 --json'],

  async run(io, args) {
    const ports = readPorts(args)
    await goOnUntilStopped(async (stopped) => {
      const { openLedgerServer } = await import('../../../host/ledger/open-server.ts')
      const server = await openLedgerServer(io.config, { ports, note: (event, fields) => note(io, event, fields) })
      announce(io, server)
      await stopped
      await server.close()
    })
    return undefined
  },
}

function readPorts(args: Args) {
  const [node, mirror, rest] = ['node-port', 'mirror-port', 'rest-port'].map((name) => readPort(args, name))
  return {
    ...(node !== undefined && { node }),
    ...(mirror !== undefined && { mirror }),
    ...(rest !== undefined && { rest }),
  }
}

function readPort(args: Args, name: string): number | undefined {
  const text = args.get(name)
  if (text === undefined) return undefined
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (!isPort(port)) throw usage(ledgerServe, `--${name} takes a number from 0 to 65535`)
  return port
}

function announce(io: Io, { ledger, ports, account, operator }: OpenLedgerServer): void {
  const [node, mirror, rest] = [ports.node, ports.mirror, ports.rest].map((port) => `127.0.0.1:${port}`)
  if (io.isJson) {
    const nodes = { [`${node}`]: account }
    io.stdout.line(
      formatJsonLine({ ledger, nodes, mirrorGrpc: mirror, mirror: `http://${rest}`, operator, pid: process.pid }),
    )
    return
  }
  io.stdout.line(`The local ledger answers as Hedera does (${describeLabel(ledger)})`)
  io.stdout.line(`  node       ${node} (${account})`)
  io.stdout.line(`  mirror     ${mirror} and http://${rest}`)
  io.stdout.line(showField(`  operator   ${operator.account}, its private key in ${operator.keyFile}`, MAX_LINE))
  io.stdout.line('  stop       Ctrl-C')
}

function note(io: Io, event: string, fields: Readonly<Record<string, unknown>>): void {
  io.stderr.line(showField(`${event} ${JSON.stringify(fields)}`, MAX_LINE))
}
