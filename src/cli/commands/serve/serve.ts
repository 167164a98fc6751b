import { isPort, SERVER, type ServerSettings } from '../../../host/config/server.ts'
import { boundYoungHeap } from '../../../kit/node/young-heap.ts'
import { inQuotes } from '../../../kit/pure/shell-word.ts'
import type { Serving } from '../../../server/serve.ts'
import type { Args, Command, Io } from '../../shell/command.ts'
import { usage } from '../../shell/parse.ts'
import { goOnUntilStopped } from '../../shell/stop-signals.ts'

export const serve: Command = {
  path: 'serve',
  summary: 'Answer over HTTP, and look after the store for everybody.',
  options: [
    { name: 'port', value: '<port>', summary: 'where to listen (default 4747); 0 for any that is free' },
    { name: 'host', value: '<address>', summary: 'the address to listen on (default 127.0.0.1)' },
    { name: 'wire', value: '<url>', summary: 'ring other machines through nats://…, tls://…, redis://… or rediss://…' },
    { name: 'nats-server', summary: 'start a NATS server for this home, at [port] or at any that is free' },
    { name: 'access-log', summary: 'write one line for every request to standard error' },
  ],
  operands: '[port]',
  examples: ['postern serve', 'postern serve --port 0 --json', 'postern serve --wire nats://127.0.0.1:4222'],
  isForAnyone: true,
  isLocal: true,

  async run(io, args) {
    const settings = readSettings(io, args)
    const natsPort = readNatsPort(args)
    await goOnUntilStopped(async (stopped) => {
      // Most commands never serve, so what serving takes is a part of its own.
      const { serve: start } = await import('../../../server/serve.ts')
      const serving = await start({ config: io.config, settings, natsPort, note: (line) => io.stderr.line(line) })
      const heap = boundYoungHeap()
      announce(io, serving)
      await stopped
      heap.stop()
      await serving.close()
    })
    return undefined
  },
}

function readSettings({ config }: Io, args: Args): ServerSettings {
  const settings = config.get(SERVER)
  const text = args.get('port')
  const port = text === undefined ? settings.port : /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (!isPort(port)) throw usage(serve, '--port takes a number from 0 to 65535')
  const host = args.get('host') ?? settings.host
  // Nothing at all would mean every address there is.
  if (host === '') throw usage(serve, '--host takes an address')
  return { ...settings, port, host, accessLog: settings.accessLog || args.has('access-log') }
}

/** Undefined where none is to be started. */
function readNatsPort(args: Args): number | undefined {
  const [text] = args.operands
  if (!args.has('nats-server')) {
    if (text !== undefined)
      throw usage(serve, 'The port of a nats-server needs --nats-server; that of the server itself is --port')
    return undefined
  }
  if (args.has('wire')) throw usage(serve, '--wire and --nats-server exclude each other')
  const port = text === undefined ? 0 : /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (!isPort(port)) throw usage(serve, '--nats-server takes a port from 0 to 65535')
  return port
}

function announce(io: Io, { url, socket, tokenFile, wire, isEmpty }: Serving): void {
  if (io.isJson) {
    io.stdout.line(JSON.stringify({ url, socket, pid: process.pid, tokenFile, wire }))
    return
  }
  io.stdout.line(`Postern answers at ${url}${socket === null ? '' : ` and at ${socket}`}`)
  io.stdout.line(`  token      ${tokenFile} (yours; "postern token create" makes others)`)
  if (wire !== null) io.stdout.line(`  wire       ${wire}`)
  io.stdout.line(`  page       ${url}/ui/ ("postern ui" lets you in)`)
  io.stdout.line(`  reference  ${url}/docs`)
  io.stdout.line(`  try        ${formatTrial({ url, socket, tokenFile })}`)
  if (isEmpty) io.stdout.line('  look       nobody is registered here yet: "npx postern demo" shows a lively scene')
  io.stdout.line('  stop       Ctrl-C')
}

/** A request with curl. The socket needs no token; elsewhere the shell's own `printf` keeps it off every argument list. */
function formatTrial({ url, socket, tokenFile }: Pick<Serving, 'url' | 'socket' | 'tokenFile'>): string {
  if (socket !== null) return `curl --unix-socket ${quoted(socket)} http://localhost/api/v1/agents`
  return `printf 'Authorization: Bearer %s' "$(cat ${quoted(tokenFile)})" | curl -H @- ${url}/api/v1/agents`
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : inQuotes(path)
}
