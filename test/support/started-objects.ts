/**
 * Starts the first object of an isolate before its tests. The runtime of the tests loads the whole source for it, which
 * takes longer on a busy machine than a request waits for its keys.
 */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'

const scope = globalThis as { hasStartedObjects?: true }

if (scope.hasStartedObjects === undefined) {
  await runInDurableObject(env.MCP_OBJECTS.getByName('keyring:started'), () => undefined)
  scope.hasStartedObjects = true
}
