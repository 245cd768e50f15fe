/**
 * Follows @modelcontextprotocol/server-memory 0.6.3 (SDK 1.x, zod 4): input and output shapes, structured
 * content, and state that every call shares.
 */
import * as z from 'zod'
import { McpServer } from '../../../src/index.ts'

const EntitySchema = z.object({
  name: z.string().describe('The name of the entity'),
  observations: z.array(z.string()),
})

const entities: z.infer<typeof EntitySchema>[] = []

export const server = new McpServer({ name: 'memory-server', version: '0.6.3' })

server.registerTool(
  'create_entities',
  {
    title: 'Create Entities',
    inputSchema: { entities: z.array(EntitySchema) },
    outputSchema: { entities: z.array(EntitySchema) },
  },
  async ({ entities: added }) => {
    entities.push(...added)
    return {
      content: [{ type: 'text' as const, text: JSON.stringify(added, null, 2) }],
      structuredContent: { entities: added },
    }
  },
)

server.registerTool(
  'read_graph',
  { inputSchema: {}, outputSchema: { entities: z.array(EntitySchema) } },
  async () => ({
    content: [{ type: 'text' as const, text: JSON.stringify(entities) }],
    structuredContent: { entities },
  }),
)

server.registerTool('forget', { outputSchema: { forgotten: z.number() } }, async (_extra) => ({
  content: [{ type: 'text' as const, text: 'no structured content' }],
}))
