/**
 * Starts the first object of an isolate before its tests. The runtime of the tests loads the whole source for it, which
 * takes longer on a busy machine than a request waits for its keys.
 */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'

const scope = globalThis as { hasStartedObjects?: true }

// A Worker without objects has no binding.
const objects = env.MCP_OBJECTS as DurableObjectNamespace | undefined

if (objects !== undefined && scope.hasStartedObjects === undefined) {
  await runInDurableObject(objects.getByName('keyring:started'), () => undefined)
  scope.hasStartedObjects = true
}
