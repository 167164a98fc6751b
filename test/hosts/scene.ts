import { describe, inject, type TestOptions } from 'vitest'
import type { DeliveryTrace } from '../../src/model/receipt.ts'
import type { Session } from '../../src/model/session.ts'
import { needs, needsPrograms } from '../helpers/needs.ts'
import { FULL } from '../helpers/tier.ts'
import { driveClaude } from './claude.ts'
import { driveCodex } from './codex.ts'
import type { Driver } from './driver.ts'
import { driveGemini } from './gemini.ts'
import { makePlace, type Place } from './place.ts'
import { type ClientRun, type Ran, runClient } from './run.ts'

const clients = inject('clients')

const NEEDS_CLIENTS = needs(clients === null ? 'the real clients, which npm could not install' : undefined)
const NEEDS_TERMINAL = { ...NEEDS_CLIENTS, ...needsPrograms('tmux') }

/** Tests that drive real clients. */
export const describeReal = describeEach(NEEDS_CLIENTS)
/** For clients at a terminal. */
export const describeAtTerminal = describeEach(NEEDS_TERMINAL)

function describeEach(options: TestOptions) {
  return {
    each: (drivers: readonly Driver[]) => (name: string, state: (driver: Driver) => void) =>
      describe.each(drivers)(name, options, state),
  }
}

export const CLAUDE: readonly Driver[] = [driveClaude(clients?.claude ?? '')]
export const CODEX: readonly Driver[] = [driveCodex(clients?.codex ?? '')]
export const GEMINI: readonly Driver[] = [driveGemini(clients?.gemini ?? '')]
export const DRIVERS: readonly Driver[] = [...CLAUDE, ...CODEX, ...GEMINI]

/** For a rule that is not about one host: one of them shows it in `npm test`, and the others in the full tier. */
export const repeatedBy = ({ host }: Driver, first: Driver['host'] = 'claude-code'): TestOptions =>
  host === first ? {} : FULL

/** A place in which the agent quinn works in a host with Postern's hooks, and justin is the person who minds it. */
export interface Scene extends Place {
  readonly driver: Driver
  run(run: ClientRun): Promise<Ran>
  /** A message for quinn from somebody at another terminal; answers with its id. */
  push(text: string, priority: number): Promise<string>
  /** How far a message has come on its way to quinn. */
  receipt(id: string): Promise<DeliveryTrace>
  /** The session that quinn has now, if any. */
  session(): Promise<Session | null>
  /** Whether that session waits for a prompt. */
  isIdle(): Promise<boolean>
  /** Everything that was ever sent to somebody. */
  mailOf(agent: string): Promise<readonly { readonly type: string; readonly content: string }[]>
}

/** Lets the host call Postern for quinn. */
type Install = (place: Place, driver: Driver) => Promise<unknown>

const installInProject: Install = (place, { host }) =>
  place.ask('init', '--host', host, '--agent', 'quinn', '--scope', 'project')

export async function makeScene(driver: Driver, install: Install = installInProject): Promise<Scene> {
  const place = await makePlace([driver.program])
  await place.ask('agent', 'add', 'quinn')
  await place.ask('agent', 'add', 'justin', '--kind', 'human')
  const session = async () => (await place.ask<{ session: Session | null }>('agent', 'show', 'quinn')).session
  await install(place, driver)
  return {
    ...place,
    driver,
    run: (run) => runClient(driver, place, run),
    async push(text, priority) {
      const { id } = await place.ask<{ id: string }>(
        'inbox',
        'push',
        '--to',
        'quinn',
        '--priority',
        `${priority}`,
        text,
      )
      return id
    },
    async receipt(id) {
      const { deliveries } = await place.ask<{ deliveries: DeliveryTrace[] }>('trace', id)
      return deliveries[0]!
    },
    session,
    isIdle: async () => ((await session())?.idleSince ?? null) !== null,
    async mailOf(agent) {
      const { items } = await place.ask<{ items: { type: string; content: string }[] }>(
        'inbox',
        'list',
        '--agent',
        agent,
        '--all',
      )
      return items
    },
  }
}
