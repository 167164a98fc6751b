import { computed, signal } from '@preact/signals'
import type { Caller } from '../../../src/model/caller.ts'
import { CALLER_PATH, WEB_PATH } from '../../../src/model/network/paths.ts'
import { readAnswer, send } from '../api/request.ts'
import { connection } from '../live/connection.ts'

/** Who looks at this page; undefined until the server has said so. */
export const caller = signal<Caller | undefined>(undefined)

/** The inbox that this page shows: the person's own. Empty where whoever looks has none. */
export const me = computed(() => (caller.value?.kind === 'human' ? caller.value.id : ''))

export async function askWhoIAm(): Promise<void> {
  const answer = await readAnswer(await send({ method: 'GET', path: CALLER_PATH }))
  caller.value = (answer as { readonly caller: Caller }).caller
}

/** Gives the cookie back. */
export async function leave(): Promise<void> {
  await send({ method: 'POST', path: `${WEB_PATH}/leave`, body: '{}' }).catch(() => undefined)
  connection.value = 'signed-out'
}
