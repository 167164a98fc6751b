import { connectPostern } from '../../src/host/serving/node-client.ts'
import { asSystem } from './postern.ts'
import type { Body, System, SystemOptions } from './system.ts'

/** Postern behind its server, as a program on the same machine uses it. The place is a URL with the token in its hash. */
export async function openServed(place: string, options: SystemOptions = {}): Promise<System> {
  return asSystem(await connectTo(place), options)
}

/** The same, but it hears of messages by the stream of events. */
export async function openFollowed(place: string, options: SystemOptions = {}): Promise<System> {
  const postern = await connectTo(place)
  const system = await asSystem(postern, options)
  const [to] = (await postern.agents.list()).map(({ id }) => id)
  return {
    ...system,
    push: (content) =>
      postern.inbox.push({ to: [to!], subject: String((JSON.parse(content) as Body).sentAt), content }),
    async listen(onBody) {
      const { cursor } = await postern.events.list()
      void follow(postern.followEvents({ after: cursor, types: ['message.created'] }), onBody)
    },
  }
}

async function follow(
  events: ReturnType<Awaited<ReturnType<typeof connectTo>>['followEvents']>,
  onBody: (body: Body) => void,
): Promise<void> {
  for await (const { data } of events) {
    const { subject } = data as { readonly subject: string }
    onBody({ sentAt: Number(subject), text: '' })
  }
}

function connectTo(place: string) {
  const { origin, hash } = new URL(place)
  return connectPostern({ url: origin, token: hash.slice(1) })
}
