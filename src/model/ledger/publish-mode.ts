import type { PublishMode } from './ledgers.ts'
import type { PublishRules } from './settings.ts'

/** What of a message is published: by its type, else by its sender, else the default. */
export function publishModeOf(
  rules: PublishRules,
  { type, agent }: { readonly type: string; readonly agent: string },
): PublishMode {
  return own(rules.types, type) ?? own(rules.agents, agent) ?? rules.default
}

/** The names come from outside, so what every object has by birth must not answer for them. */
function own(modes: Readonly<Record<string, PublishMode>>, name: string): PublishMode | undefined {
  return Object.hasOwn(modes, name) ? modes[name] : undefined
}
