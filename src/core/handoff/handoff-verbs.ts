/** What hooks and the upkeep do with handoffs. A part of its own, loaded with the first call, for most never do. */
export { cleanAll } from './clean.ts'
export { markInheritancePrinted, releaseInheritance, settleInheritances } from './confirm.ts'
export { inheritItems } from './inherit.ts'
export { isToldOfNothing } from './told.ts'
