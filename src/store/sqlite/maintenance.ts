/** What is needed now and then, in a part of its own that is loaded on use. */
export { findViolations } from '../shelves/audit.ts'
export { backupTo } from './backup.ts'
export { checkConnection } from './check.ts'
export { recordLoss } from './losses.ts'
export { migrate } from './migrate.ts'
export { openAlone } from './open-alone.ts'
export { fileError, openError } from './open-errors.ts'
export { verifyStore } from './verify.ts'
