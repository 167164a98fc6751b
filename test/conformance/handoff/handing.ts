import { join } from 'node:path'
import { expect } from 'vitest'
import type { Inheritance, InheritItems, LeaveItem, LeftItem } from '../../../src/model/handoff/handoff.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { makeOld, makeRepository } from '../../helpers/handoff/projects.ts'
import { temporaryFolder } from '../../helpers/temp.ts'

/** A repository of its own, without a handoff yet. */
export function repository(name = 'atlas', parent = temporaryFolder()): string {
  return makeRepository(join(parent, name))
}

/** A repository in which handoff was set up. */
export async function project(postern: Postern, name?: string, parent?: string): Promise<string> {
  const root = repository(name, parent)
  await postern.handoff.init({ project: root })
  return root
}

/** Leaves something long enough ago that no reader waits for it to be whole. */
export async function leave(
  postern: Postern,
  root: string,
  text: string,
  more: Partial<LeaveItem> = {},
): Promise<LeftItem> {
  const left = await postern.handoff.leave({ project: root, type: 'learning', text, ...more })
  makeOld(left.path)
  return left
}

/** Inherits, and says that all of it was printed. */
export async function show(
  postern: Postern,
  root: string,
  more: Partial<InheritItems> = {},
): Promise<Inheritance & { readonly id: string }> {
  const inheritance = await postern.handoff.inherit({ project: root, ...more })
  const id = inheritance.id ?? expect.fail('nothing was offered')
  await postern.handoff.printed({ id })
  return { ...inheritance, id }
}

/** Inherits as a terminal does; the bodies. */
export async function take(postern: Postern, root: string, more: Partial<InheritItems> = {}): Promise<string[]> {
  const inheritance = await postern.handoff.inherit({ project: root, ...more })
  if (inheritance.id !== null) await postern.handoff.confirm({ id: inheritance.id, printed: true })
  return bodies(inheritance)
}

/** What would be offered, without taking it. */
export async function peek(postern: Postern, root: string, more: Partial<InheritItems> = {}): Promise<string[]> {
  const inheritance = await postern.handoff.inherit({ project: root, ...more })
  if (inheritance.id !== null) await postern.handoff.release({ id: inheritance.id, reason: 'only a look' })
  return bodies(inheritance)
}

export function bodies({ items }: Pick<Inheritance, 'items'>): string[] {
  return items.map(({ body }) => body)
}

export const boxOf = (root: string) => join(root, 'inbox')
export const processedOf = (root: string) => join(root, 'inbox', 'processed')
