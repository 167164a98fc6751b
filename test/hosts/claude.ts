import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Driver } from './driver.ts'

const KEY = 'no-key-is-needed-on-loopback'
/** The client remembers which keys a person has approved by their ends. */
const KEY_END = KEY.slice(-20)

export function driveClaude(program: string): Driver {
  return {
    host: 'claude-code',
    program,
    prepare({ home, project }) {
      mkdirSync(join(home, '.claude'), { recursive: true })
      const seen = {
        hasCompletedOnboarding: true,
        theme: 'dark',
        customApiKeyResponses: { approved: [KEY_END], rejected: [] },
        projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
      }
      writeFileSync(join(home, '.claude.json'), JSON.stringify(seen))
    },
    env: (modelUrl) => ({
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: KEY,
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_BUG_COMMAND: '1',
      DISABLE_COST_WARNINGS: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    promptArgs: (prompt, { resume }) => [
      ...(resume === undefined ? [] : ['--resume', resume]),
      ...['-p', prompt, '--output-format', 'json', '--allowedTools', 'Bash'],
    ],
    terminalArgs: () => [],
    takesInput: /^❯/m,
    callShell: (line) => ({ name: 'Bash', input: { command: line, description: 'A line of shell' } }),
    sessionOf: (stdout) => (JSON.parse(stdout) as { session_id?: string }).session_id,
  }
}
