import { LOSS_JOB } from '../../model/loss.ts'
import type { Connection } from './connection.ts'
import { isBusy } from './errors.ts'
import { type LogEnd, lastEvent, readLogEnd } from './log-end.ts'

/**
 * Records how many acknowledged events are missing, for `doctor` and for the next round of upkeep, which tells people.
 * Creates the file of the last event if it is missing. Returns whether events are missing.
 */
export function recordLoss(connection: Connection, end: LogEnd, now: number): boolean {
  try {
    connection.exec('BEGIN IMMEDIATE')
  } catch (error) {
    // Another process writes. The loss stays visible until one has recorded it.
    if (isBusy(error)) return false
    throw error
  }
  try {
    const [expected, found] = [readLogEnd(connection.path), lastEvent(connection)]
    // Waits for the disk, so that everything up to here may be counted as acknowledged.
    if (expected === undefined) connection.run(TOUCH)
    const hasLost = expected !== undefined && found < expected
    if (hasLost) {
      connection.run(ADD_LOST, [expected - found])
      connection.run(SET_JOB, [LOSS_JOB, now])
    }
    connection.exec('COMMIT')
    end.write(found)
    return hasLost
  } catch (error) {
    connection.exec('ROLLBACK')
    throw error
  }
}

const TOUCH = `UPDATE counters SET value = value WHERE name = 'broadcast'`

const ADD_LOST = `INSERT INTO counters (name, value) VALUES ('lost', ?1)
  ON CONFLICT (name) DO UPDATE SET value = value + excluded.value`

const SET_JOB = `INSERT INTO jobs (name, ran_at) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET ran_at = excluded.ran_at`
