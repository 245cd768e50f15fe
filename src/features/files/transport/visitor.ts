/** Who sends a request to the page of an upload, where the request says so: the page is for the caller that was asked. */
import { browserSubject } from '../../../feature/browser-subject.ts'
import type { AppContext } from '../../../feature/feature.ts'
import type { WaitUntil } from '../../../transport/entrance.ts'

/**
 * The subject whose browser is signed in, or whose credentials a program sends. Undefined without credentials and with
 * invalid ones: the secret of the address is enough then.
 *
 * @param asked the path of the endpoint whose call asked for the file; undefined for an anonymous call
 */
export async function visitorSubject(
  { auth, gate, singlePaths }: Pick<AppContext, 'auth' | 'gate' | 'singlePaths'>,
  asked: string | undefined,
  request: Request,
  env: unknown,
  ctx: WaitUntil,
): Promise<string | undefined> {
  const paths = asked === undefined ? singlePaths : [...new Set([asked, ...singlePaths])]
  const [first = ''] = paths
  const subject = await browserSubject(gate, first, request, env, ctx)
  const header = auth?.credentialHeader ?? 'authorization'
  if (subject !== undefined || gate === undefined || !request.headers.has(header)) return subject
  const background = (work: Promise<unknown>) => ctx.waitUntil(work)
  // A token is for one resource, which may be another one than that of the call.
  for (const path of paths) {
    const caller = await gate.authenticate(request, env, path, background, ctx)
    if (caller !== undefined && !(caller instanceof Response)) return caller.auth.subject
  }
  return undefined
}
