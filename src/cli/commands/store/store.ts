import { resolve } from 'node:path'
import { restoreStore } from '../../../host/open/restore-store.ts'
import { openBareStore } from '../../../host/open/store.ts'
import type { Verified } from '../../../model/verified.ts'
import type { Args, Command, Form } from '../../shell/command.ts'
import { requireNoProgram } from '../../shell/no-program.ts'
import { usage } from '../../shell/parse.ts'
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
    const path = pathIn(backup, args)
    const store = await openBareStore(io.config)
    let verified: Verified
    try {
      verified = await store.backup(path)
    } finally {
      await store.close()
    }
    const { messages, faults } = verified
    const damage = faults.length === 0 ? '' : `\nThe store is damaged, and so is the copy: ${faults.join('; ')}.`
    answer(io, { path, messages, faults }, `Saved as ${path}.${damage}`)
    return undefined
  },
}

export const restore: Command = {
  path: 'restore',
  isForPeople: true,
  isForAnyone: true,
  isLocal: true,
  summary: 'Replace the store with a backup (stop everything that uses it).',
  operands: '<backup>',
  examples: ['postern restore ~/postern-backup.db'],

  async run(io, args) {
    const backup = pathIn(restore, args)
    const caller = await requireNoProgram(async () => {
      const postern = await io.open({ mustExist: true })
      // Nobody may have the store open, so neither may this command.
      await postern.close()
      return postern.caller
    }, 'cannot restore a backup')
    const { replaced } = restoreStore(io.config, backup, io.now())
    const store = io.config.store
    const { tellOfRestore } = await import('./tell-of-restore.ts')
    await tellOfRestore(io, { caller, backup, replaced })
    const kept = replaced === null ? '' : `\nThe files that it replaced are in ${replaced}.`
    answer(io, { store, backup, replaced }, `Restored ${backup} as ${store}.${kept}`)
    return undefined
  },
}

/** An empty value is usually an unset shell variable. It must not silently mean the working folder. */
function pathIn(command: Form, { operands: [path = ''] }: Args): string {
  if (path === '') throw usage(command, `${command.operands} is empty`)
  return resolve(path)
}
