/** The URLs that deliver values to the waits of a task. */
import type { CallTask } from '../../src/dispatch/call.ts'
import type { DefinedDeployment } from '../../src/dispatch/deployment.ts'
import { WEBHOOKS_PATH, webhookSecret } from '../../src/dispatch/task-ids.ts'
import type { TaskRequest } from '../../src/ports/tasks.ts'

export function createWebhooks(
  { services, audience }: DefinedDeployment,
  { name, origin }: TaskRequest,
): CallTask['webhookUrl'] {
  return async (key) => {
    const sealer = services.sealer()
    if (sealer === undefined) throw new TypeError('ctx.webhook needs the keyring')
    return `${origin}${WEBHOOKS_PATH}/${await webhookSecret(sealer, audience, { name, key })}`
  }
}
