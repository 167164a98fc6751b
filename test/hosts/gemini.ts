import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compiledCode } from '../helpers/compiled-code.ts'
import type { Driver } from './driver.ts'

const SETTINGS = {
  security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  general: { enableAutoUpdate: false, disableAutoUpdate: true, enableAutoUpdateNotification: false },
}

export function driveGemini(program: string): Driver {
  return {
    host: 'gemini',
    program,
    prepare({ home }) {
      mkdirSync(join(home, '.gemini'), { recursive: true })
      writeFileSync(join(home, '.gemini', 'settings.json'), JSON.stringify(SETTINGS))
    },
    env: (modelUrl) => ({
      GEMINI_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: modelUrl,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      GEMINI_TELEMETRY_ENABLED: 'false',
      GEMINI_FORCE_FILE_STORAGE: 'true',
      NO_BROWSER: 'true',
      // It is 40 MB of JavaScript, of which most would be compiled anew for each prompt.
      NODE_COMPILE_CACHE: compiledCode(),
    }),
    promptArgs: (prompt) => ['-p', prompt, '-m', 'gemini-2.5-flash', '-o', 'json', '--approval-mode', 'yolo'],
    terminalArgs: () => ['-m', 'gemini-2.5-flash'],
    takesInput: /Type your message/,
    callShell: (line) => ({ name: 'run_shell_command', input: { command: line } }),
    sessionOf: (stdout) => (JSON.parse(stdout) as { session_id?: string }).session_id,
  }
}
