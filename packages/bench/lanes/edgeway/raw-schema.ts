/** Edgeway with a tool in JSON Schema, to measure its size without a schema library. */
import { createEdgeway, jsonSchema, McpServer } from '../../../../src/index.ts'
import { SERVER_INFO } from '../tools/lane-tool.ts'

const server = new McpServer(SERVER_INFO).registerTool(
  'echo',
  {
    title: 'Echo',
    description: 'Returns the text it is given',
    inputSchema: jsonSchema({
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
    }),
  },
  async ({ text }) => String(text),
)

export default createEdgeway(server)
