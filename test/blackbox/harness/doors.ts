import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { commandEnvironment, EXECUTABLE } from '../../helpers/command.ts'
import type { Answer, ServeProcess } from '../../helpers/http-server.ts'
import { dataOf, type RawClient, startRawClient } from '../../helpers/mcp/raw-client.ts'
import { DEAD_MACHINE_MS } from '../../helpers/patience.ts'
import { startScriptedHost } from '../../helpers/scripted-host.ts'
import type { Place } from './place.ts'
import { readListed, readRendered, type Shown } from './shown.ts'

/** A way in. It resolves once the message is acknowledged. */
export interface Writer {
  push(to: string, text: string): Promise<void>
}

/** A way out, for one agent. */
export interface Reader {
  /** Takes the waiting messages. With a number, the reader is killed after so many milliseconds, and returns what it has shown by then. */
  read(killAfterMs?: number): Promise<readonly Shown[]>
  /** Confirms the last read. False: the confirmation came too late, and another reader may be shown the same messages. */
  confirm(): Promise<boolean>
  /** Marks a shown message as dealt with. */
  ack(id: string): Promise<void>
  kill(): Promise<void>
}

/** Everything that doors share: a home, and a server of it. */
export interface World {
  readonly place: Place
  /** The server that runs now. */
  server(): ServeProcess
}

export const WRITERS: Readonly<Record<string, (world: World) => Promise<Writer>>> = {
  cli: async ({ place }) => ({
    push: async (to, text) => void (await place.ask('inbox', 'push', '--to', to, text)),
  }),
  http: async ({ server }) => ({
    async push(to, text) {
      await answered(server, 'POST /api/v1/inbox', { to: [to], content: text, dedupKey: randomUUID() })
    },
  }),
  mcp: async ({ place }) => {
    const client = await startMcp(place, 'sam')
    return {
      async push(to, text) {
        const sent = await client.call('send_message', { to_agent: to, message_type: 'fyi', subject: text })
        const [message] = dataOf<{ messages: readonly { held: boolean }[] }>(sent).messages
        if (message === undefined || message.held) throw new Error(`not sent: ${JSON.stringify(sent)}`)
      },
    }
  },
}

export const READERS: Readonly<Record<string, (world: World, agent: string) => Promise<Reader>>> = {
  cli: async ({ place }, agent) => ({
    async read(killAfterMs) {
      const wrap = killAfterMs === undefined ? [] : ['timeout', '--signal=KILL', `${Math.max(1, killAfterMs) / 1_000}`]
      const { exit, stdout, stderr } = await place.run(['inbox', 'drain', '--agent', agent, '--json'], { wrap })
      if (exit !== 0 && killAfterMs === undefined) throw new Error(`the drain ended with ${exit}: ${stderr}`)
      return readListed(parse<Listing>(stdout)?.messages ?? [])
    },
    // The command has ended well only if its output was taken.
    confirm: async () => true,
    ack: async (id) => void (await place.ask('inbox', 'ack', '--agent', agent, id)),
    kill: async () => {},
  }),

  http: async ({ server }, agent) => {
    let offerId: string | undefined
    return {
      async read() {
        const { offer, messages } = await answered<HttpDrained>(server, 'POST /api/v1/inbox/drain', { agent })
        offerId = offer?.id
        return readListed(messages)
      },
      async confirm() {
        if (offerId === undefined) return true
        const body = { printed: true, evidence: 'the black box' }
        const { status, text } = await untilAnswered(server, `POST /api/v1/offers/${offerId}/confirm`, { body })
        if (status >= 300 && status !== 404) throw new Error(`confirm was answered with ${status}: ${text}`)
        return status !== 404
      },
      ack: async (id) => void (await answered(server, 'POST /api/v1/inbox/ack', { agent, ids: [id] })),
      kill: async () => {},
    }
  },

  mcp: async ({ place }, agent) => {
    const client = await startMcp(place, agent)
    return {
      async read(killAfterMs) {
        const killing =
          killAfterMs === undefined ? undefined : setTimeout(() => client.child.kill('SIGKILL'), killAfterMs)
        try {
          return readRendered(dataOf<{ text: string }>(await client.call('inbox_check')).text)
        } catch (error) {
          if (killing === undefined) throw error
          return []
        }
      },
      // The next call of any tool shows that the answer has arrived.
      async confirm() {
        dataOf(await client.call('agent_list'))
        return true
      },
      ack: async (id) => void dataOf(await client.call('inbox_ack', { ids: [id] })),
      async kill() {
        client.child.kill('SIGKILL')
        await client.ended
      },
    }
  },

  hook: async ({ place }, agent) => {
    const host = await startScriptedHost({ host: 'claude-code', home: place.home, sessionId: randomUUID() })
    const fire = async (event: string) => {
      const { exit, stdout, stderr } = await host.fire(event)
      if (exit !== 0) throw new Error(`the hook of ${event} ended with ${exit}: ${stderr}`)
      return readRendered(parse<HookAnswer>(stdout)?.hookSpecificOutput?.additionalContext ?? '')
    }
    // The first read also returns the messages that the start of the session has shown.
    let before = await fire('SessionStart')
    return {
      async read(killAfterMs) {
        const killing = killAfterMs === undefined ? undefined : delay(killAfterMs).then(host.kill)
        const shown = await Promise.race([fire('UserPromptSubmit'), ...(killing ? [killing.then(() => [])] : [])])
        const all = [...before, ...shown]
        before = []
        return all
      },
      // The next event shows that the host has taken the output.
      async confirm() {
        before = await fire('UserPromptSubmit')
        return true
      },
      ack: async (id) => void (await place.ask('inbox', 'ack', '--agent', agent, id)),
      kill: async () => host.kill(),
    }
  },
}

interface HookAnswer {
  readonly hookSpecificOutput?: { readonly additionalContext?: string }
}

interface Listing {
  readonly messages: Parameters<typeof readListed>[0]
}

interface HttpDrained extends Listing {
  readonly offer: { readonly id: string } | null
}

export function startMcp(place: Place, agent: string): Promise<RawClient> {
  return startRawClient({
    command: [process.execPath, EXECUTABLE, 'mcp', '--agent', agent],
    env: commandEnvironment(place.home),
    cwd: place.home,
  })
}

async function answered<T>(server: World['server'], route: string, body: unknown): Promise<T> {
  const { status, text, body: answer } = await untilAnswered(server, route, { body })
  if (status >= 300) throw new Error(`${route} was answered with ${status}: ${text}`)
  return answer
}

/** Repeats a request until a server answers it. Every request here may safely be repeated. */
async function untilAnswered(
  server: World['server'],
  route: string,
  { body }: { readonly body: unknown },
): Promise<Answer> {
  for (const until = performance.now() + DEAD_MACHINE_MS; ; await delay(20)) {
    const answer = await server()
      .ask(route, { body })
      .catch((error: unknown) => {
        if (performance.now() > until) throw error
      })
    // A server that is being stopped says so.
    if (answer && answer.body?.retryable !== true) return answer
    if (answer && performance.now() > until) throw new Error(`it is still not done: ${answer.text}`)
  }
}

function parse<T>(text: string): T | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
