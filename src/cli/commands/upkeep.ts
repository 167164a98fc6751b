import { resolve } from 'node:path'
import { inspectHome } from '../../host/inspect.ts'
import { openMaintenance } from '../../host/maintenance.ts'
import { asPosternError, EXIT } from '../../model/errors.ts'
import type { HealthCheck } from '../../model/postern.ts'
import { showField } from '../../render/terminal.ts'
import type { Command, Io } from '../command.ts'
import { answer } from '../print.ts'

export const doctor: Command = {
  path: 'doctor',
  isForAnyone: true,
  summary: 'Check the installation and the store, and say what to do.',

  async run(io) {
    const checks: HealthCheck[] = [...inspectHome(io.config), ...(await checkStore(io))]
    const ok = checks.every((check) => check.ok || check.level !== 'error')
    const lines = checks.map((check) => {
      const mark = check.ok ? 'ok  ' : check.level === 'error' ? 'FAIL' : check.level === 'warning' ? 'warn' : 'note'
      const next = check.ok || !check.next ? '' : `\n       ${check.next}`
      return `${mark} ${check.name.padEnd(20)} ${showField(check.detail, 2_000)}${next}`
    })
    answer(io, { ok, checks }, lines.join('\n'))
    return ok ? EXIT.ok : EXIT.failed
  },
}

/** A store that cannot be opened is a finding, not a failure of the doctor. */
async function checkStore(io: Io): Promise<readonly HealthCheck[]> {
  try {
    const postern = await io.open()
    return (await postern.upkeep.check()).checks
  } catch (error) {
    const { message, next } = asPosternError(error)
    return [{ name: 'store.open', ok: false, level: 'error', detail: message, next }]
  }
}

export const migrate: Command = {
  path: 'migrate',
  summary: 'Bring the store up to date; other commands do so by themselves.',

  async run(io) {
    const store = await openMaintenance(io.config)
    try {
      const checks = await store.check()
      const schema = checks.find((check) => check.name === 'store.schema')
      answer(
        io,
        { store: store.location, schema: schema?.detail ?? '' },
        `${store.location} is up to date (${schema?.detail ?? ''}).`,
      )
    } finally {
      await store.close()
    }
    return undefined
  },
}

export const backup: Command = {
  path: 'backup',
  summary: 'Copy the store as it is at one moment, while others write.',
  operands: '<file>',
  examples: ['postern backup ~/postern-backup.db'],

  async run(io, args) {
    const path = resolve(args.operands[0] ?? '')
    const store = await openMaintenance(io.config)
    try {
      await store.backup(path)
    } finally {
      await store.close()
    }
    answer(io, { path }, `Saved as ${path}.`)
    return undefined
  },
}
