import {
  HARVEST,
  parseGateHook,
  parseGateMode,
  parseGateName,
  type SessionGateRule,
  TASK_UPDATE,
} from '../../model/gate.ts'
import { type Group, refusal } from './group.ts'

/** A gate of every session as a configuration sets it: only its mode, or all its fields. */
export type GateSetting =
  | string
  | { readonly hook?: string; readonly mode?: string; readonly check?: string; readonly reason?: string }

/**
 * Succeeds if there is nothing to commit, and no commit of the current branch that no remote has. Outside a repository
 * it succeeds; without a remote it only checks for uncommitted work.
 */
const COMMITTED_AND_PUSHED =
  'git rev-parse --git-dir >/dev/null 2>&1 || exit 0; test -z "$(git status --porcelain)" || exit 1; test -z "$(git remote)" || test -z "$(git log HEAD --not --remotes --oneline -1 2>/dev/null)"'

const BUILT_IN: Readonly<Record<string, SessionGateRule>> = {
  decision: {
    name: 'decision',
    hook: 'stop',
    mode: 'strict',
    check: null,
    reason:
      'Before you stop, offer your person a decision: postern decision create --ask <person> --option a="…" --option b="…" "question"',
  },
  'commit-push': {
    name: 'commit-push',
    hook: 'stop',
    mode: 'soft',
    check: COMMITTED_AND_PUSHED,
    reason: 'There is work that is not committed, or not pushed.',
  },
  [TASK_UPDATE]: {
    name: TASK_UPDATE,
    hook: 'stop',
    mode: 'soft',
    check: null,
    reason: 'Nothing on the bus of the task says what this session has done: postern bus post --type FACT --body "…"',
  },
  [HARVEST]: {
    name: HARVEST,
    hook: 'stop',
    mode: 'soft',
    check: null,
    reason: 'This session has left nothing for the next one: postern handoff leave --type learning "…"',
  },
}

/** The gates of every session. Their names are the user's own. */
export const GATES: Group<readonly SessionGateRule[]> = {
  name: 'gates',
  parse(written) {
    const harvest = written.find('handoff', HARVEST)
    const gates = written.keys('gates').map((name) => [name, written.find('gates', name)] as const)
    const settings = Object.fromEntries(gates.map(([name, found]) => [name, found?.value as GateSetting]))
    try {
      return parseSessionGates(withHarvest(settings, harvest?.value))
    } catch (error) {
      throw refusal(error, written, [...gates.map(([, found]) => found), harvest])
    }
  },
}

export function parseSessionGates(settings: Readonly<Record<string, GateSetting>>): readonly SessionGateRule[] {
  return Object.entries(settings).flatMap(([name, setting]) => {
    return setting === 'off' ? [] : [parseRule(parseGateName(name), setting)]
  })
}

/** Adds the gate `harvest` if `handoff.harvest` sets it. A setting in `gates` wins. */
export function withHarvest(
  gates: Readonly<Record<string, GateSetting>>,
  harvest: unknown,
): Readonly<Record<string, GateSetting>> {
  const mode = parseHarvest(harvest)
  return mode === null ? gates : { [HARVEST]: mode, ...gates }
}

/** The mode of the gate `harvest` that `handoff.harvest` sets; null if it sets none. */
export function parseHarvest(value: unknown): string | null {
  if (value === undefined || value === false) return null
  if (value === true) return 'soft'
  if (typeof value === 'string') return value === 'off' ? value : parseGateMode(value)
  throw new Error('"handoff.harvest" is neither a mode nor true or false')
}

const FIELDS = ['hook', 'mode', 'check', 'reason']

function parseRule(name: string, setting: GateSetting): SessionGateRule {
  const known = Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined
  if (typeof setting === 'string') {
    if (!known) throw new Error(`the gate "${name}" is not built in, so it needs an object that says what it checks`)
    return { ...known, mode: parseGateMode(setting) }
  }
  requireTexts(name, setting)
  const { hook, mode, check, reason } = setting
  return {
    name,
    hook: parseGateHook(hook ?? known?.hook ?? 'stop'),
    mode: parseGateMode(mode ?? known?.mode ?? 'strict'),
    check: check ?? known?.check ?? null,
    reason: reason ?? known?.reason ?? `Do what "${name}" stands for, then say so: postern gate mark ${name}`,
  }
}

function requireTexts(name: string, setting: unknown): void {
  const isObject = typeof setting === 'object' && setting !== null && !Array.isArray(setting)
  if (!isObject) throw new Error(`"gates.${name}" is neither a mode nor an object`)
  for (const [field, value] of Object.entries(setting)) {
    if (!FIELDS.includes(field)) throw new Error(`"gates.${name}.${field}" is not a setting of a gate`)
    if (typeof value !== 'string' || value.trim() === '') throw new Error(`"gates.${name}.${field}" is not text`)
  }
}
