import type { InboxPage } from '../../../../src/model/postern.ts'
import { call } from '../../api/postern.ts'
import { useLive } from '../../live/use-live.ts'
import { me } from '../../state/me.ts'
import { type InboxRow, rowOf } from './inbox-rows.ts'

const MOST = 500

/** What is not open: snoozed, or done. Asked for only while it is looked at. */
export function useOtherRows(view: 'snoozed' | 'done' | undefined): {
  readonly rows: readonly InboxRow[]
  refresh(): void
} {
  const live = useLive({
    key: view ?? '',
    load: async () => {
      if (view === undefined) return []
      const wanted = { agent: me.value, which: view, order: 'newest', limit: MOST }
      return ((await call('inbox.list', wanted)) as InboxPage).items
    },
    on: ['delivery.*'],
  })
  return { rows: (live.value.value ?? []).map(rowOf), refresh: live.refresh }
}
