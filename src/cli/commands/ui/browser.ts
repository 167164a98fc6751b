import { spawn } from 'node:child_process'

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { linux: 'xdg-open', darwin: 'open' }

/** How long an opener may take to say that it cannot. */
const PATIENCE_MS = 1_500

/** Opens a page in the person's browser. False where there is none: on a server, or where nobody looks at a screen. */
export function openBrowser(url: string): Promise<boolean> {
  const { platform, env } = process
  const command = OPENERS[platform]
  const hasScreen = platform === 'darwin' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'])
  if (command === undefined || !hasScreen) return Promise.resolve(false)
  return new Promise((resolve) => {
    const child = spawn(command, [url], { stdio: 'ignore', detached: true })
    // Some openers stay for as long as the browser does.
    const timer = setTimeout(() => settle(true), PATIENCE_MS)
    function settle(isOpen: boolean): void {
      clearTimeout(timer)
      child.unref()
      resolve(isOpen)
    }
    child.once('error', () => settle(false)).once('exit', (code) => settle(code === 0))
  })
}
