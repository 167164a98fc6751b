/** `run_20260205-123456-12345`: when it began, in UTC and to the second, and the process that began it. */
export function formatRunId(at: number, pid: number): string {
  const [date = '', time = ''] = new Date(at).toISOString().slice(0, 19).split('T')
  return `run_${date.replaceAll('-', '')}-${time.replaceAll(':', '')}-${pid}`
}

/**
 * An id of no entry, which lies before all that the run can have written: before all entries of the second in which it
 * began, or before all that there are, where its id does not tell when that was.
 */
export function idBefore(runId: string): string {
  const [, stamp = '19700101-000000'] = /^run_(\d{8}-\d{6})-/.exec(runId) ?? []
  return `MSG-${stamp}-000000000-PID00000-0000`
}
