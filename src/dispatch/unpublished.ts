/** `ctx.notify` of an app without the feature that publishes: nothing listens, so a change is reported once and dropped. */
import type { Notify } from '../server/context.ts'
import type { Deployment } from './call.ts'

const reported = new WeakSet<Deployment>()

export function createUnpublished(deployment: Deployment): Notify {
  const drop = async () => {
    if (reported.has(deployment)) return
    reported.add(deployment)
    const { notify } = deployment.extensions.absent
    const message = `a change was not published: it needs features: [${notify}()] and the binding MCP_OBJECTS`
    deployment.report({ type: 'definition-warning', subject: 'ctx.notify', message })
  }
  return {
    toolsChanged: drop,
    promptsChanged: drop,
    resourcesChanged: drop,
    eventsChanged: drop,
    resourceUpdated: drop,
    elicitationComplete: drop,
  }
}
