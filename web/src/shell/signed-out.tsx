import { Button, Command } from '../parts/bits.tsx'

export function SignedOut() {
  return (
    <main class="signed-out" id="main">
      <img src="/ui/icon.svg" alt="" width="44" height="44" />
      <h1>Who are you?</h1>
      <p>This page opens for people who come from a terminal of their own. Type this there; it opens the page again:</p>
      <Command text="postern ui" />
      <p class="soft">Its link works once. A sign-in lasts seven days, or until you leave.</p>
      <Button onClick={() => location.reload()}>Try again</Button>
    </main>
  )
}
