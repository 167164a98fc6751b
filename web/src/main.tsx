import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/bits.css'
import './styles/lists.css'
import './styles/markdown.css'
import './styles/dialogs.css'
import './styles/palette.css'
import './styles/toasts.css'
import './styles/phone.css'
import './styles/rows.css'
import './styles/sheets.css'
import { render } from 'preact'
import { Problem } from './api/problem.ts'
import { hearKeys } from './keys/keys.ts'
import { connection, followEvents, markPresent } from './live/connection.ts'
import { followLinks } from './router/router.ts'
import { App } from './shell/app.tsx'
import { openDecisions, openGates } from './state/decisions.ts'
import { directory } from './state/directory.ts'
import { followInbox } from './state/inbox-items.ts'
import { askWhoIAm } from './state/me.ts'

const RETRY_MS = 1_500

/** The server may start later than the page. */
async function begin(): Promise<void> {
  try {
    await markPresent()
    await askWhoIAm()
  } catch (error) {
    const isRefused = error instanceof Problem && (error.status === 401 || error.status === 403)
    connection.value = isRefused ? 'signed-out' : 'lost'
    if (!isRefused) setTimeout(begin, RETRY_MS)
    return
  }
  directory.start()
  openDecisions.start()
  openGates.start()
  followInbox()
  void followEvents()
}

followLinks()
hearKeys()
const root = document.getElementById('app')
if (root) render(<App />, root)
void begin()
