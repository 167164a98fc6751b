import { spawn } from 'node:child_process'
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { makePrivateFolder } from '../../../kit/node/folders.ts'

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { linux: 'xdg-open', darwin: 'open' }

/** How long an opener may take to say that it cannot. */
const PATIENCE_MS = 1_500

/**
 * Opens a sign-in link in the person's browser. Returns false on a machine without a screen. Other users can read every
 * argument list, so the opener gets the name of a private file, and the file redirects to the link.
 */
export function openBrowser(link: string, home: string): Promise<boolean> {
  const { platform, env } = process
  const command = OPENERS[platform]
  const hasScreen = platform === 'darwin' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'])
  if (command === undefined || !hasScreen) return Promise.resolve(false)
  const page = pathToFileURL(writeRedirect(link, home)).href
  return new Promise((resolve) => {
    const child = spawn(command, [page], { stdio: 'ignore', detached: true })
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

/** Each link replaces the file of the one before, so a link that was never followed is not kept. */
function writeRedirect(link: string, home: string): string {
  const path = redirectPath(home)
  const partial = `${path}.${process.pid}`
  writeFileSync(partial, formatRedirect(link), { flag: 'wx', mode: 0o600 })
  renameSync(partial, path)
  return path
}

/** A browser that was installed as a snap cannot read hidden folders, such as our home usually is. */
function redirectPath(home: string): string {
  const { HOME } = process.env
  if (existsSync('/snap/bin') && HOME) return join(HOME, 'postern-sign-in.html')
  const folder = join(home, 'run')
  makePrivateFolder(folder)
  return join(folder, 'sign-in.html')
}

/** No script, so that the page works whatever the browser forbids to local files. The referrer would name the file. */
export function formatRedirect(link: string): string {
  const target = link.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=${target}">
<title>Postern</title>
<p><a href="${target}">Open Postern</a></p>
`
}
