/** What a person has said yes to, so that the same need not be asked again. */
import type { AccountLimits, NewGrant } from '../../src/ports/accounts.ts'
import type { AccountStorage } from './account-storage.ts'
import type { Statements } from './schema.ts'

/** The oldest go first: a client that registers anew each time must not fill the account. */
const MAX_CONSENTS = 200

/** Sets of scopes that are kept for one client, redirect and resource, the newest. */
const MAX_SETS = 10

/** Beside what this client had for the same redirect and resource; approved apart is not approved together. */
export function rememberConsent(
  statements: Statements,
  {
    client,
    redirectUri,
    resource,
    scopes,
  }: Pick<NewGrant, 'client' | 'redirectUri' | 'resource' | 'scopes'>,
  { consentTtlMs }: AccountLimits,
  now: number,
): void {
  const others = consented(statements, client.id, redirectUri, resource, now).filter(
    (known) => !isSame(known, scopes),
  )
  statements.putConsent({
    client_id: client.id,
    redirect_uri: redirectUri,
    resource,
    scopes: JSON.stringify([scopes, ...others].slice(0, MAX_SETS)),
    due_at: now + consentTtlMs,
  })
  statements.trimConsents(MAX_CONSENTS)
}

export class Consents {
  readonly #storage: AccountStorage

  constructor(storage: AccountStorage) {
    this.#storage = storage
  }

  /** Byte for byte, and the very scopes, in whatever order: whoever differs in one of them is asked. */
  includes(
    clientId: string,
    redirectUri: string,
    resource: string,
    scopes: readonly string[],
  ): boolean {
    const { existing } = this.#storage
    if (existing === undefined) return false
    const known = consented(existing, clientId, redirectUri, resource, Date.now())
    return known.some((set) => isSame(set, scopes))
  }

  forget(clientId: string): void {
    this.#storage.changeExisting((statements) => statements.deleteConsents(clientId))
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((scope) => other.includes(scope))
}

function consented(
  statements: Statements,
  clientId: string,
  redirectUri: string,
  resource: string,
  now: number,
): readonly (readonly string[])[] {
  const row = statements.consent(clientId, redirectUri, resource)
  return row === undefined || now >= row.due_at ? [] : readSets(row.scopes)
}

/** A row of an earlier version has one set, by itself. */
function readSets(text: string): readonly (readonly string[])[] {
  const parsed: readonly string[] | readonly (readonly string[])[] = JSON.parse(text)
  return isSets(parsed) ? parsed : [parsed]
}

function isSets(
  parsed: readonly string[] | readonly (readonly string[])[],
): parsed is readonly (readonly string[])[] {
  return parsed.length > 0 && parsed.every(Array.isArray)
}
