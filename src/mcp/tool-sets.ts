import { describeTool } from '../operations/tools/described.ts'
import { TOOL_SETS, type ToolSet } from '../operations/tools/table.ts'
import type { Tool } from '../operations/tools/tool.ts'
import { estimateTokens } from '../render/tokens.ts'

export function findTools(set: string): readonly Tool[] | undefined {
  return Object.hasOwn(TOOL_SETS, set) ? TOOL_SETS[set as ToolSet] : undefined
}

/** What models pay for tools before they have called any, in tokens, by a careful guess. */
export interface ToolCosts {
  readonly tools: readonly { readonly name: string; readonly tokens: number }[]
  readonly total: number
}

export function costOf(tools: readonly Tool[]): ToolCosts {
  const costs = tools.map((tool) => ({ name: tool.name, tokens: estimateTokens(JSON.stringify(describeTool(tool))) }))
  return { tools: costs, total: estimateTokens(JSON.stringify(tools.map(describeTool))) }
}
