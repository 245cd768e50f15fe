/**
 * Decides whether a request belongs to a development server, whose timeline is recorded and open. Only the
 * timeline creates this check; the inspector asks its timeline.
 */
import { namesForeignClient } from '../auth/forwarded-client.ts'
import { originVariable } from '../auth/origins.ts'
import { isLoopbackName } from '../security/host.ts'
import type { Timeline, TimelineContext } from './timeline-config.ts'

/**
 * The configured origins must be loopback names. Without any, the host of the request decides: the
 * platform delivers no request for a loopback name to a deployed Worker, and a proxy that rewrites
 * `Host` names the address of the client.
 */
export function createDevelopmentCheck({
  checkHost,
  origins,
}: Pick<TimelineContext, 'checkHost' | 'origins'>): Timeline['isDevelopment'] {
  return (request, env) => {
    // The host first: it decides for nearly every request of a deployment, and costs the least.
    if (!checkHost(request.url).loopback || namesForeignClient(request)) return false
    const configured = origins.length > 0 ? origins : configuredIn(env)
    return configured.every((origin) => isLoopbackName(new URL(origin).hostname))
  }
}

/** An invalid variable is reported by authorization, and is no development. */
function configuredIn(env: unknown): readonly string[] {
  try {
    return originVariable(env) ?? []
  } catch {
    return ['https://invalid']
  }
}
