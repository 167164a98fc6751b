import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Driver } from './driver.ts'

export function driveCodex(program: string): Driver {
  return {
    host: 'codex',
    program,
    prepare({ home, project }, modelUrl) {
      mkdirSync(join(home, '.codex'), { recursive: true })
      writeFileSync(join(home, '.codex', 'config.toml'), settings(project, modelUrl))
    },
    env: () => ({ LOOPBACK_KEY: 'none' }),
    promptArgs: (prompt, { resume }) => [
      ...['exec', ...(resume === undefined ? [] : ['resume', resume])],
      ...['--json', '--skip-git-repo-check', '--dangerously-bypass-hook-trust', prompt],
    ],
    terminalArgs: () => ['--dangerously-bypass-hook-trust'],
    takesInput: /gpt-5 default/,
    callShell: (line) => ({ name: 'exec_command', input: { cmd: line } }),
    sessionOf: (stdout) =>
      stdout
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as { type?: string; thread_id?: string })
        .find(({ type }) => type === 'thread.started')?.thread_id,
  }
}

function settings(project: string, modelUrl: string): string {
  return `
model = "gpt-5"
model_provider = "loopback"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
web_search = "disabled"

[analytics]
enabled = false

[model_providers.loopback]
name = "loopback"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "LOOPBACK_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false

[projects.${JSON.stringify(project)}]
trust_level = "trusted"

[features]
apps = false
plugins = false
enable_request_compression = false
daemon_auto_start = false
`
}
