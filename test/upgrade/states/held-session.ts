/** A session as its client holds it. */
import { Session } from '../../faults/sessions/session.ts'
import { HttpSession } from '../../support/http-session.ts'
import type { Endpoint } from '../calls.ts'

export type HeldSession = { readonly id: string; readonly version: string }

export async function openSession(
  endpoint: Endpoint,
  version = '2025-11-25',
): Promise<{ http: HttpSession; session: Session; held: HeldSession }> {
  const http = await HttpSession.open(endpoint, { version, capabilities: { elicitation: {} } })
  return { http, session: new Session(http), held: { id: http.id, version } }
}

export function reopenSession(endpoint: Endpoint, { id, version }: HeldSession): Session {
  return new Session(new HttpSession(endpoint, id, version))
}
