import { expect, it } from 'vitest'
import type { Sql } from '../sql.ts'
import { RARE_METHODS } from './rare-methods.ts'
import { RARE_SHELVES } from './rare-shelves.ts'

const NEVER = () => Promise.reject(new Error('not here'))
const SQL: Sql = { engine: 'sqlite', all: NEVER, get: NEVER, run: NEVER }

it('names exactly the methods that each rare shelf has', () => {
  const named = Object.entries(RARE_METHODS).map(([shelf, methods]) => [shelf, Object.keys(methods()).sort()])
  const made = Object.entries(RARE_SHELVES).map(([shelf, create]) => [shelf, Object.keys(create(SQL)).sort()])
  expect(Object.fromEntries(named)).toEqual(Object.fromEntries(made))
})
