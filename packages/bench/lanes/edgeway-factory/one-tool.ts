/** The server with one tool, built by a factory for each caller. All load is of one caller. */
import { createEdgeway, McpServer } from '../../../../src/index.ts'
import { echo } from '../tools/echo.ts'
import { SERVER_INFO } from '../tools/lane-tool.ts'

const { name, title, description, inputSchema, run } = echo

const edgeway = createEdgeway(
  () => new McpServer(SERVER_INFO).registerTool(name, { title, description, inputSchema }, run),
  { info: SERVER_INFO },
)

export default edgeway
