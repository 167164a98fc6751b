import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, readConfig } from '../../../host/config/config.ts'
import { HOME_FILE } from '../../../host/config/config-file.ts'
import { isPort } from '../../../host/config/server.ts'
import { open } from '../../../host/open/open.ts'
import { sleep } from '../../../kit/clock/sleep.ts'
import type { Args, Command, Io } from '../../shell/command.ts'
import { usage } from '../../shell/parse.ts'
import { goOnUntilStopped } from '../../shell/stop-signals.ts'
import { openBrowser } from '../ui/browser.ts'
import { PERSON } from './cast.ts'
import { PAST_MS, playPast } from './past.ts'
import { playPresent } from './present.ts'

const HOST = '127.0.0.1'
const LAST_RESORT_MS = 5_000

export const demo: Command = {
  path: 'demo',
  summary: 'Look at a lively scene on a throw-away store: a team at work, and its page.',
  options: [
    { name: 'port', value: '<port>', summary: 'where to listen (default: any that is free)' },
    { name: 'print', summary: 'only print the link to the page' },
  ],
  examples: ['postern demo', 'postern demo --port 4750 --print'],
  isForAnyone: true,
  isLocal: true,

  async run(io, args) {
    const port = portOf(args)
    const home = mkdtempSync(join(tmpdir(), 'postern-demo-'))
    try {
      await goOnUntilStopped((stopped) => play(io, { home, port, isPrinted: args.has('print') }, stopped))
    } finally {
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    }
    return undefined
  },
}

interface Scene {
  readonly home: string
  readonly port: number
  readonly isPrinted: boolean
}

function portOf(args: Args): number {
  const text = args.get('port') ?? '0'
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (isPort(port)) return port
  throw usage(demo, '--port takes a number from 0 to 65535')
}

async function play(io: Io, { home, port, isPrinted }: Scene, stopped: Promise<void>): Promise<void> {
  const config = configFor(home)
  await fill(config)
  const note = (line: string) => io.stderr.line(line)
  // Serving and asking over HTTP are parts of their own.
  const { serve } = await import('../../../server/serve.ts')
  const serving = await serve({ config, settings: { host: HOST, port, names: [], accessLog: false }, note })
  try {
    const { connectConfigured } = await import('../../../host/serving/connect.ts')
    const postern = await connectConfigured(config, serving.url)
    const present = playPresent(postern, (reason) => note(reason))
    try {
      await invite(io, { config, url: serving.url, isPrinted })
      await stopped
    } finally {
      await Promise.race([present.stop(), sleep(LAST_RESORT_MS, { isBackground: true })])
      await postern.close()
    }
  } finally {
    await serving.close()
  }
}

/** Nothing of the user's own is read or written: neither settings nor buses. */
function configFor(home: string): Config {
  writeFileSync(join(home, HOME_FILE), JSON.stringify({ bus: { root: join(home, 'run-agent') } }), { mode: 0o600 })
  return readConfig({ flags: { home }, env: {}, cwd: home })
}

/** The past is played on a clock of its own, so that it takes a moment and looks like hours. */
async function fill(config: Config): Promise<void> {
  const end = Date.now()
  let now = end - PAST_MS
  const postern = await open(config, { upkeep: false, limits: config.limits, now: () => now })
  try {
    await playPast(postern, {
      pass(minutes) {
        now = Math.min(end, now + minutes * 60_000)
      },
    })
  } finally {
    await postern.close()
  }
}

interface Invitation {
  readonly config: Config
  readonly url: string
  readonly isPrinted: boolean
}

async function invite(io: Io, { config, url, isPrinted }: Invitation): Promise<void> {
  const { askForLink } = await import('../../../host/serving/sign-in-link.ts')
  const link = await askForLink(config, url, PERSON)
  if (io.isJson) {
    const { home } = config
    io.stdout.line(JSON.stringify({ url, home, pid: process.pid, person: PERSON, signInUrl: link.url }))
    return
  }
  const isOpened = !isPrinted && (await openBrowser(link.url, config.home))
  io.stdout.line(`A team is at work at ${url}, and you are ${PERSON}. Nothing of it is yours to lose.`)
  io.stdout.line(`  page       ${isOpened ? 'open in your browser' : link.url}`)
  io.stdout.line(`  again      npx postern ui --home ${config.home}`)
  io.stdout.line(`  terminal   npx postern watch --home ${config.home}`)
  io.stdout.line('  stop       Ctrl-C, and everything is removed')
}
