/** What an operator does with the grants of the authorization server. */

import type { Principal } from '../protocol/principal.ts'
import type { EndedAccess } from './accounts.ts'
import type { GrantSummary } from './grant.ts'

export interface AccessControl {
  /** Drops what this isolate has cached after everyone or a client was revoked. */
  revoked(env: unknown): Promise<void>
  /** The grants and personal access tokens of a subject, with all of its accounts. */
  grantsOf(subject: string, env: unknown): Promise<readonly GrantSummary[]>
  /** Ends a grant and the event subscriptions of its callers. False when the subject has no such grant. */
  revokeGrant(subject: string, grantId: string, env: unknown): Promise<boolean>
  /**
   * Ends every grant, personal access token, consent and sign-in of a subject.
   *
   * @param erase also deletes what would be kept to recognise ended grants
   */
  endAccess(subject: string, erase: boolean, env: unknown): Promise<EndedAccess>
  /** The principals that a subject has or had: of its grants, and of every path without params. */
  principalsOf(subject: string, env: unknown): Promise<readonly Principal[]>
}
