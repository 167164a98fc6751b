/** The running hash of an entry in hex, from that of the one before it. It lives in the toolbox, for stores hash too. */
export { runningHash as runningHashOf } from '../kit/node/running-hash.ts'
