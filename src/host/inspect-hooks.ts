import { join } from 'node:path'
import type { HealthCheck } from '../model/postern.ts'
import { HOOK_LOG, type HookFault } from './hook-fault.ts'
import { findHookLogs, readFaults, UNBOUND } from './hook-log.ts'

const MAX_READ = 200
const MAX_SHOWN = 5

/** What went wrong in hooks, which tell nobody else. */
export function inspectFaults(home: string): HealthCheck[] {
  const faults = readFaults(home, MAX_READ)
  const unbound = faults.filter(({ fault }) => fault === UNBOUND)
  return [inspectLog(home, faults), ...(unbound.length === 0 ? [] : [inspectUnbound(unbound)])]
}

function inspectLog(home: string, faults: readonly HookFault[]): HealthCheck {
  const logs = findHookLogs(home).join(' and ')
  const last = faults.slice(-MAX_SHOWN).toReversed().map(describe)
  return {
    name: 'hooks.faults',
    ok: faults.length === 0,
    level: 'warning',
    detail: faults.length === 0 ? 'no hook has failed' : `${faults.length} in ${logs}; the last: ${last.join(' · ')}`,
    next: `When you have seen to it, delete ${logs || join(home, HOOK_LOG)}.`,
  }
}

function describe({ at, host, event, fault }: HookFault): string {
  return `${[at, host, event].filter((part) => part !== '').join(' ')}: ${fault}`
}

function inspectUnbound(faults: readonly HookFault[]): HealthCheck {
  const hosts = [...new Set(faults.map(({ host }) => host))].join(', ')
  return {
    name: 'hooks.unbound',
    ok: false,
    level: 'warning',
    detail: `sessions of ${hosts} were bound to no agent, and shown nothing: ${faults.length} events`,
    next: 'Say whose they are: "postern init --host <host> --agent <agent>".',
  }
}
