/** Ends the object of a task, at once or as the platform does. */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { objectOf } from '../../support/task-server.ts'

/** Ends the object at once, as a kill of its process does. */
export async function kill(taskId: string): Promise<void> {
  const stub = await objectOf(taskId)
  await runInDurableObject(stub, (_, ctx) => ctx.abort('killed')).catch(() => undefined)
}

export async function evict(taskId: string): Promise<void> {
  await evictDurableObject(await objectOf(taskId))
}
