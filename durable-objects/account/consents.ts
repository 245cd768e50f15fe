/** Remembered consents: a request that was approved before is not shown on the consent page again. */
import type { AccountLimits } from '../../src/ports/account-limits.ts'
import type { NewGrant } from '../../src/ports/grant.ts'
import type { AccountStorage } from './account-storage.ts'
import { scopeSetsOf } from './row-json.ts'
import type { Statements } from './schema.ts'

/** The oldest are deleted first: a client that registers anew for each request must not fill the account. */
const MAX_CONSENTS = 200

/** Scope sets stored per client, redirect URI and resource, newest first. */
const MAX_SCOPE_SETS = 10

type ScopeSet = readonly string[]

/**
 * Adds a scope set to those approved for the same client, redirect URI and resource. Sets are not
 * merged: scopes that were approved in two requests were never approved together.
 */
export function rememberConsent(
  statements: Statements,
  { client, redirectUri, resource, scopes }: NewGrant<string>,
  { consentTtlMs }: AccountLimits,
  now: number,
): void {
  const approved = approvedSets(statements, client.id, redirectUri, resource, now)
  const others = approved.filter((set) => !isSameSet(set, scopes))
  statements.putConsent({
    client_id: client.id,
    redirect_uri: redirectUri,
    resource,
    scopes: JSON.stringify([scopes, ...others].slice(0, MAX_SCOPE_SETS)),
    due_at: now + consentTtlMs,
  })
  statements.trimConsents(MAX_CONSENTS)
}

/** Compares byte by byte, and the scopes as a set in any order. */
export function hasConsent(
  { existing }: AccountStorage,
  clientId: string,
  redirectUri: string,
  resource: string,
  scopes: ScopeSet,
): boolean {
  if (existing === undefined) return false
  const approved = approvedSets(existing, clientId, redirectUri, resource, Date.now())
  return approved.some((set) => isSameSet(set, scopes))
}

function isSameSet(one: ScopeSet, other: ScopeSet): boolean {
  return one.length === other.length && one.every((scope) => other.includes(scope))
}

function approvedSets(
  statements: Statements,
  clientId: string,
  redirectUri: string,
  resource: string,
  now: number,
): readonly ScopeSet[] {
  const row = statements.consent(clientId, redirectUri, resource)
  return row === undefined || now >= row.due_at ? [] : scopeSetsOf(row)
}
