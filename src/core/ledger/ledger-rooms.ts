import type { Postern } from '../../model/postern.ts'
import type { Context } from '../context.ts'
import {
  acceptConnection,
  connectOutsider,
  disconnect,
  listConnections,
  rejectConnection,
  sayOnConnection,
} from './connections.ts'
import { setProfile, showProfile } from './identities/profile.ts'
import { setupLedger } from './identities/setup.ts'
import { sendInbox, sendMessage } from './messages/send.ts'
import { dropParcel, listParcels, retryParcel } from './parcels.ts'
import { ledgerStatus } from './status.ts'
import { createWorkTopic, listTopics, readTopic, verifyTopic } from './topics.ts'
import { emitEvent } from './work/emit.ts'
import { listNotes, postNote } from './work/notes.ts'

/** Binds the verbs of the ledger to a context. */
export function createLedgerRooms(ctx: Context): Pick<Postern, 'messages' | 'notes' | 'ledger'> {
  return {
    messages: {
      send: (input) => sendMessage(ctx, input),
      sendInbox: (input) => sendInbox(ctx, input),
    },
    notes: {
      post: (input) => postNote(ctx, input),
      list: (input) => listNotes(ctx, input),
    },
    ledger: {
      status: () => ledgerStatus(ctx),
      setup: (input) => setupLedger(ctx, input),
      topics: (input) => listTopics(ctx, input),
      createTopic: (input) => createWorkTopic(ctx, input),
      read: (input) => readTopic(ctx, input),
      verify: (input) => verifyTopic(ctx, input),
      profile: (input) => showProfile(ctx, input),
      setProfile: (input) => setProfile(ctx, input),
      emit: (input) => emitEvent(ctx, input),
      connections: (input) => listConnections(ctx, input),
      connect: (input) => connectOutsider(ctx, input),
      accept: (input) => acceptConnection(ctx, input),
      reject: (input) => rejectConnection(ctx, input),
      disconnect: (input) => disconnect(ctx, input),
      say: (input) => sayOnConnection(ctx, input),
      parcels: (input) => listParcels(ctx, input),
      retry: (input) => retryParcel(ctx, input),
      drop: (input) => dropParcel(ctx, input),
    },
  }
}
