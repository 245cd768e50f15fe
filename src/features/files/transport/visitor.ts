/** Who sends a request to the page of an upload, where the request says so: the page is for the caller that was asked. */
import { browserSubject } from '../../../feature/browser-subject.ts'
import type { AppContext } from '../../../feature/feature.ts'
import type { WaitUntil } from '../../../transport/entrance.ts'

/**
 * The subject whose browser is signed in, or whose token a program sends. Undefined without credentials and with invalid
 * ones: the secret of the address is enough then.
 */
export async function visitorSubject(
  { gate, singlePaths }: Pick<AppContext, 'gate' | 'singlePaths'>,
  request: Request,
  env: unknown,
  ctx: WaitUntil,
): Promise<string | undefined> {
  const [path = ''] = singlePaths
  const subject = await browserSubject(gate, path, request, env, ctx)
  if (subject !== undefined || gate === undefined || !request.headers.has('authorization')) {
    return subject
  }
  const background = (work: Promise<unknown>) => ctx.waitUntil(work)
  // A token is for one resource: the address does not say which one.
  for (const resource of singlePaths) {
    const caller = await gate.authenticate(request, env, resource, background, ctx)
    if (caller !== undefined && !(caller instanceof Response)) return caller.auth.subject
  }
  return undefined
}
