/**
 * Whoever waits mostly waits again once it has taken what it was woken for. For so long at the most, what it listened by
 * stays where it is.
 */
export const LINGER_MS = 10_000
