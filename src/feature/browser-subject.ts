/** The person whose browser sends a request to a page of the app. */
import type { WaitUntil } from '../transport/entrance.ts'
import type { AuthGate } from './auth-config.ts'

/**
 * Undefined for a browser that is not signed in, and where browsers have no credentials.
 *
 * @param path of the endpoint, for credentials that belong to a resource
 */
export async function browserSubject(
  gate: AuthGate | undefined,
  path: string,
  request: Request,
  env: unknown,
  ctx: WaitUntil,
): Promise<string | undefined> {
  if (gate?.signIn !== undefined) return gate.signIn.subject(request, env)
  const background = (work: Promise<unknown>) => ctx.waitUntil(work)
  return (await gate?.visitor?.(request, env, path, background, ctx))?.subject
}
