import { readBusSettings } from '../../../host/config/bus.ts'
import { findProjectFile } from '../../../host/config/config-file.ts'
import { setTrust } from '../../../host/config/trust.ts'
import { readWireSettings } from '../../../host/config/wire.ts'
import { hidePassword } from '../../../kit/pure/passwords.ts'
import { isProgram, LOCAL_CALLER } from '../../../model/caller.ts'
import { PosternError } from '../../../model/errors.ts'
import { showField } from '../../../render/terminal.ts'
import type { Command, Io } from '../../shell/command.ts'
import { answer } from '../../shell/print.ts'
import { formatTable } from '../../shell/table.ts'

export const configShow: Command = {
  path: 'config',
  summary: 'Show the configuration in force.',
  options: [{ name: 'explain', summary: 'say where each value came from' }],

  async run(io, args) {
    const { home, store, url, limits } = io.config
    const bus = readBusSettings(io.config)
    const wire = shownWire(io)
    const origins: Readonly<Record<string, string>> = {
      'bus.root': 'default',
      'bus.rotateBytes': 'default',
      ...Object.fromEntries(Object.keys(wire).map((name) => [`wire.${name}`, 'default'])),
      ...io.config.origins,
    }
    const shownStore = hidePassword(store)
    const shownUrl = url === null ? null : hidePassword(url)
    const values: [string, string | number][] = [
      ['home', home],
      ['store', shownStore],
      ['url', shownUrl ?? ''],
      ['bus.root', bus.root],
      ['bus.rotateBytes', bus.rotateBytes],
      ...Object.entries(wire).map(([name, value]): [string, string] => [`wire.${name}`, String(value ?? '')]),
      ...Object.entries(limits).map(([name, value]): [string, number] => [`limits.${name}`, value]),
    ]
    const rows = values.map(([name, value]) => [
      name,
      String(value),
      ...(args.has('explain') ? [origins[name] ?? ''] : []),
    ])
    const header = ['SETTING', 'VALUE', ...(args.has('explain') ? ['FROM'] : [])]
    const json = { home, store: shownStore, url: shownUrl, bus, wire, limits, ...(args.has('explain') && { origins }) }
    answer(io, json, formatTable(header, rows, io.stdout.columns))
    return undefined
  },
}

function shownWire({ config }: Io) {
  const wire = readWireSettings(config)
  return { ...wire, url: wire.url === null ? null : hidePassword(wire.url) }
}

export const configTrust: Command = {
  path: 'config trust',
  isLocal: true,
  summary: "Let this project's postern.config.json name a store or a server and change every limit.",
  options: [{ name: 'revoke', summary: 'take that back' }],

  async run(io, args) {
    const path = findProjectFile(process.cwd())
    if (!path) {
      throw new PosternError('VALUE_INVALID', {
        field: 'project',
        value: process.cwd(),
        next: 'There is no postern.config.json here or above; go to the project that has one.',
      })
    }
    await requirePerson(io)
    const trusted = !args.has('revoke')
    setTrust(io.config.home, path, trusted)
    answer(
      io,
      { path, trusted },
      showField(trusted ? `Trusted as it is now: ${path}` : `No longer trusted: ${path}`, 2_000),
    )
    return undefined
  },
}

/** What is trusted may switch gates off, so those whom they hold do not say it. Without a store nobody is held. */
async function requirePerson(io: Io): Promise<void> {
  const caller = await io.open().then(
    (postern) => postern.caller,
    (error: unknown) => {
      if (error instanceof PosternError && error.code.startsWith('STORE_')) return LOCAL_CALLER
      throw error
    },
  )
  if (!isProgram(caller)) return
  throw new PosternError('NOT_ALLOWED', {
    message: `${caller.id} cannot say what is to be trusted.`,
    next: 'Let a person do it, from a terminal of their own.',
  })
}
