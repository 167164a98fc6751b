/** Streams of bus entries as server-sent events: GET, with the fields of `bus.read`. Clients use the first. */
export const ENTRY_STREAMS = [
  'GET /api/v1/messages/stream',
  'GET /api/projects/:project_id/messages/stream',
  'GET /api/projects/:project_id/tasks/:task_id/messages/stream',
] as const

/** Says who a token speaks for: GET, answered with `{ caller }`. Not an operation: every `Postern` knows its caller. */
export const CALLER_PATH = '/api/v1/caller'

/** The page for people. */
export const WEB_PATH = '/ui'

/** Requests a link with which a person signs in to the page: POST, answered with `{ path, expiresAt }`. */
export const SIGN_INS_PATH = '/api/v1/sign-ins'

/** The target of such a link: GET, with the ticket in the query. */
export const SIGN_IN_PATH = `${WEB_PATH}/enter`
