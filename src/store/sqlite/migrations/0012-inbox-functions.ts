/** PostgreSQL's migration makes the functions of its inbox view safe. The view of SQLite is read-only and has none. */
export const inboxFunctions = ''
