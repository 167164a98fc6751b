import type { Client } from '@modelcontextprotocol/client'
import type { Scene, Way } from './scene.ts'

/** All that a client is told of this server before it has called anything. */
export async function listEverything(client: Client) {
  const { tools } = await client.listTools()
  const { prompts } = await client.listPrompts()
  const { resourceTemplates } = await client.listResourceTemplates()
  const texts = await Promise.all(
    prompts.map(async ({ name }) => (await client.getPrompt({ name })).messages.map(({ content }) => content)),
  )
  return {
    instructions: client.getInstructions()?.split('\n'),
    tools,
    prompts: prompts.map((prompt, at) => ({ ...prompt, messages: texts[at] })),
    resourceTemplates,
  }
}

export async function listedBy(scene: Scene, way: Way) {
  return listEverything(await scene.connect(way))
}
