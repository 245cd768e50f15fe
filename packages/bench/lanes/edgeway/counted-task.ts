/** The server of `task.ts`, counting what the platform bills. `POST /deliver` delivers an event. */
import { countedClass, countedWorker } from '../tools/counting.ts'
import { edgeway } from './task.ts'

export const McpObjects = countedClass(edgeway.Objects)

export default countedWorker({
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== '/deliver') return edgeway.fetch(request, env, ctx)
    await edgeway.tasks(env).deliver(await request.text(), 'event', 1)
    return new Response()
  },
})
