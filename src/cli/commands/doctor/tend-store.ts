import type { Config } from '../../../host/config/config.ts'
import { openBareStore } from '../../../host/open/store.ts'
import { asPosternError, PosternError } from '../../../model/errors.ts'
import type { HealthCheck } from '../../../model/postern.ts'
import type { Verified } from '../../../model/verified.ts'
import type { Args, Io } from '../../shell/command.ts'
import { identifyPerson } from '../../shell/identify-person.ts'
import { requireNoProgram } from '../../shell/no-program.ts'

/** Checks everything that is stored. What is found is a finding of the doctor, also that the store cannot be read. */
export async function verifyContents(config: Config): Promise<readonly HealthCheck[]> {
  requireLocal(config, '--full')
  const { faults, messages } = await verify(config)
  return [
    {
      name: 'store.contents',
      ok: faults.length === 0,
      level: 'error',
      detail: faults.length === 0 ? soundOf(messages) : faults.join('; '),
      next: 'Damaged messages are never shown. If pages are broken, restore a backup with "postern restore <backup>".',
    },
  ]
}

function soundOf(messages: number): string {
  return messages === 1
    ? '1 message was read; it does not differ from its checksum'
    : `${messages} messages were read; none differs from its checksum`
}

async function verify(config: Config): Promise<Verified> {
  try {
    const store = await openBareStore(config)
    return await store.verify().finally(() => store.close())
  } catch (error) {
    return { messages: 0, faults: [asPosternError(error).message] }
  }
}

/** A gate may be among what was lost, so an agent that it held may not end the warning. */
export async function requirePerson(io: Io, args: Args): Promise<void> {
  requireLocal(io.config, '--acknowledge-loss')
  const [as, agent] = [args.get('as'), io.environmentAgent]
  const sources = {
    ...(as !== undefined && { as }),
    ...(as === undefined && agent !== undefined && { agent }),
    via: 'cli',
  }
  const form = { path: 'doctor --acknowledge-loss', summary: '', isForPeople: true, isForAnyone: true } as const
  await requireNoProgram(
    async () => identifyPerson(form, args, { postern: await io.open({ mustExist: true }), sources }),
    'cannot acknowledge a loss',
  )
}

export async function acknowledgeLoss(config: Config): Promise<void> {
  requireLocal(config, '--acknowledge-loss')
  const store = await openBareStore(config)
  await store.transact((tx) => tx.upkeep.acknowledgeLoss()).finally(() => store.close())
}

function requireLocal({ url }: Config, option: string): void {
  if (url === null) return
  throw new PosternError('USAGE', {
    message: `"doctor ${option}" works on the store itself, not through a server.`,
    next: 'Run it where the server runs.',
  })
}
