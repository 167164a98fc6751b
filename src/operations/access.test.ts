import { describe, expect, it } from 'vitest'
import type { AgentKind } from '../model/agent.ts'
import { parseScope } from '../model/network/token.ts'
import type { Identity } from '../model/network/tokens.ts'
import type { OperationName } from '../model/operations.ts'
import { fillInOwn, requireAccess } from './access.ts'
import { declaredOperation } from './table.ts'

const KINDS: Readonly<Record<string, AgentKind>> = { human: 'human', agent: 'ai', service: 'service' }

function identity(scope: string): Identity {
  const { kind, id } = parseScope(scope)
  const caller = { id: id ?? 'local', kind: KINDS[kind] ?? ('local' as const), verified: true, via: 'http' }
  return { tokenId: 'tok_1', scope: { kind, id }, caller }
}

async function isAllowed(scope: string, name: OperationName, input: Record<string, unknown> = {}): Promise<boolean> {
  const asker = { identity: identity(scope), ownsSession: async (id: string) => id === 'own' }
  return requireAccess(declaredOperation(name), asker, input).then(
    () => true,
    (error) => {
      expect(error).toMatchObject({ code: 'NOT_ALLOWED' })
      expect(error.next).not.toBe('')
      return false
    },
  )
}

const EVERYBODY = ['admin', 'human:justin', 'agent:quinn', 'service:ci'] as const

describe('who may ask for what', () => {
  it.each<[OperationName, Record<string, unknown>, readonly boolean[]]>([
    ['agents.list', {}, [true, true, true, true]],
    ['agents.add', { id: 'x' }, [true, true, false, false]],
    ['tokens.create', { scope: 'admin' }, [true, false, false, false]],
    ['upkeep.run', {}, [true, false, false, false]],
    ['inbox.drain', { agent: 'quinn' }, [true, true, true, false]],
    ['inbox.list', { agent: 'mindy' }, [true, true, false, false]],
    ['inbox.list', {}, [true, true, false, false]],
    ['inbox.confirmSession', { sessionId: 'own' }, [true, true, true, true]],
    ['inbox.confirmSession', { sessionId: 'other' }, [true, true, false, false]],
    ['inbox.push', { to: ['x'], content: 'hello' }, [true, true, true, true]],
    ['inbox.push', { to: ['x'], content: 'hello', create: false }, [true, true, true, true]],
    ['inbox.push', { to: ['x'], content: 'hello', create: true }, [true, true, false, false]],
    ['inbox.pushMany', { messages: [{ content: 'one' }, { content: 'two' }] }, [true, true, true, true]],
    [
      'inbox.pushMany',
      { messages: [{ content: 'one' }, { content: 'two', create: true }] },
      [true, true, false, false],
    ],
    ['gates.create', { kind: 'human' }, [true, true, true, true]],
    ['gates.create', { kind: 'command' }, [true, false, false, false]],
    ['gates.register', { sessionId: 'own', check: 'rm -rf /' }, [true, false, false, false]],
    ['gates.register', { sessionId: 'own' }, [true, true, true, true]],
  ])('%s with %j', async (name, input, expected) => {
    const answers = await Promise.all(EVERYBODY.map((scope) => isAllowed(scope, name, input)))
    expect(answers).toEqual(expected)
  })
})

describe('an agent that is not named', () => {
  const fill = (scope: string, name: OperationName, isNeeded: boolean) =>
    fillInOwn(declaredOperation(name), identity(scope), {}, isNeeded)

  it('is the program that asks', () => {
    expect(fill('agent:quinn', 'inbox.drain', true)).toEqual({ agent: 'quinn' })
    expect(fill('agent:quinn', 'inbox.list', false)).toEqual({ agent: 'quinn' })
  })

  it('is the person who asks where there must be one, else everybody', () => {
    expect(fill('human:justin', 'inbox.drain', true)).toEqual({ agent: 'justin' })
    expect(fill('human:justin', 'inbox.list', false)).toEqual({})
  })

  it('stays unnamed for an administrator, and where the operation is about nobody', () => {
    expect(fill('admin', 'inbox.drain', true)).toEqual({})
    expect(fill('agent:quinn', 'agents.list', false)).toEqual({})
  })
})
