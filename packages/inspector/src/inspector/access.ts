/** Who may use the inspector: everyone in development, and elsewhere a signed-in person who owns the server. */

import type { WaitUntil } from '../../../../src/index.ts'
import {
  type AuthGate,
  browserSubject,
  isCausedByOtherSite,
  isOriginAllowed,
  type ServedHost,
} from '../../../../src/internal.ts'
import { problem } from './problem.ts'

/** Undefined in development. */
export interface Viewer {
  readonly subject: string | undefined
}

export interface AccessRules {
  readonly owners: readonly string[]
  readonly gate: AuthGate | undefined
  /** A path of the endpoint, for credentials that belong to a resource. */
  readonly path: string | undefined
}

/** Whether anyone can use the inspector outside of development. */
export function isReachable({ owners, gate, path }: AccessRules): boolean {
  if (owners.length === 0 || gate === undefined) return false
  return gate.signIn !== undefined || (gate.visitor !== undefined && path !== undefined)
}

/**
 * Refuses pages of other sites. A link to the page itself is followed: it shows nothing of the server by
 * itself, no other page can read or embed it, and people come to it from a sign-in elsewhere.
 */
export function refuseOtherSites(
  { method, headers }: Request,
  host: ServedHost,
  isPage: boolean,
): Response | undefined {
  const origin = headers.get('origin')
  const policy = { allowedOrigins: [host.origin], bearerRequired: false }
  const isForeign = origin !== null && !isOriginAllowed(origin, host, policy)
  const isLink =
    isPage &&
    (method === 'GET' || method === 'HEAD') &&
    headers.get('sec-fetch-mode') === 'navigate' &&
    headers.get('sec-fetch-dest') === 'document'
  if (!isForeign && (isLink || !isCausedByOtherSite(headers))) return undefined
  return problem(403, 'Only pages of this server may use the inspector')
}

/** Undefined for a person who is not signed in; `hidden` where the inspector does not exist for the person. */
export async function findViewer(
  { owners, gate, path = '' }: AccessRules,
  request: Request,
  env: unknown,
  ctx: WaitUntil,
): Promise<Viewer | 'hidden' | undefined> {
  const subject = await browserSubject(gate, path, request, env, ctx)
  if (subject === undefined) return undefined
  return owners.includes(subject) ? { subject } : 'hidden'
}
