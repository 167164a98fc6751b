import { resolve } from 'node:path'
import { openBareStore } from '../../../host/open/store.ts'
import type { Command } from '../../shell/command.ts'
import { answer } from '../../shell/print.ts'

export const migrate: Command = {
  path: 'migrate',
  isLocal: true,
  summary: 'Bring the store up to date; other commands do so by themselves.',

  async run(io) {
    const store = await openBareStore(io.config)
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
  isLocal: true,
  summary: 'Copy the store as it is at one moment, while others write.',
  operands: '<file>',
  examples: ['postern backup ~/postern-backup.db'],

  async run(io, args) {
    const path = resolve(args.operands[0] ?? '')
    const store = await openBareStore(io.config)
    try {
      await store.backup(path)
    } finally {
      await store.close()
    }
    answer(io, { path }, `Saved as ${path}.`)
    return undefined
  },
}
