import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Driver } from './driver.ts'
import type { Place } from './place.ts'

/** The hosts' own words for moments that all of them have. */
const EVENTS = {
  start: { 'claude-code': 'SessionStart', codex: 'SessionStart', gemini: 'SessionStart' },
  prompt: { 'claude-code': 'UserPromptSubmit', codex: 'UserPromptSubmit', gemini: 'BeforeAgent' },
  tool: { 'claude-code': 'PostToolUse', codex: 'PostToolUse', gemini: 'AfterTool' },
  stop: { 'claude-code': 'Stop', codex: 'Stop', gemini: 'AfterAgent' },
} as const

export type Moment = keyof typeof EVENTS

const SETTINGS = {
  'claude-code': '.claude/settings.json',
  codex: '.codex/hooks.json',
  gemini: '.gemini/settings.json',
} as const

export function eventOf(driver: Driver, moment: Moment): string {
  return EVENTS[moment][driver.host]
}

/** The project's file in which a host looks for hooks. */
export function settingsOf(driver: Driver, place: Place): string {
  return join(place.project, SETTINGS[driver.host])
}

export interface ForeignHook {
  readonly moment: Moment
  /** What it does, in shell. */
  readonly script: string
  readonly options?: Readonly<Record<string, unknown>>
}

/** Hooks that are not Postern's, in a project that has none. */
export function plantHooks(driver: Driver, place: Place, hooks: readonly ForeignHook[]): void {
  const entries = hooks.map(({ moment, script, options }, at) => {
    const path = join(place.home, `hook-${at}`)
    writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    return [eventOf(driver, moment), [{ hooks: [{ type: 'command', command: path, ...options }] }]]
  })
  const settings = settingsOf(driver, place)
  mkdirSync(dirname(settings), { recursive: true })
  writeFileSync(settings, JSON.stringify({ hooks: Object.fromEntries(entries) }))
}
