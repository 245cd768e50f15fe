/** Sessions, listeners and publications, counting what the platform bills. */
import { changes } from '../../../../src/features/changes/index.ts'
import { sessions } from '../../../../src/features/sessions/index.ts'
import { createEdgeway, createServer } from '../../../../src/index.ts'
import { countedClass, countedWorker } from '../tools/counting.ts'
import { echo } from '../tools/echo.ts'
import { SERVER_INFO } from '../tools/lane-tool.ts'
import { publishing } from '../tools/publishing.ts'

const { name, title, description, inputSchema, run } = echo

const server = createServer({ ...SERVER_INFO, uses: [changes()] })
  .registerTool(name, { title, description, inputSchema }, run)
  .registerTool(publishing.name, { title: publishing.title }, async (ctx) => {
    await ctx.notify.toolsChanged()
    return publishing.answer
  })

const edgeway = createEdgeway(server, { features: [sessions()] })

export default countedWorker(edgeway)
export const McpObjects = countedClass(edgeway.Objects)
