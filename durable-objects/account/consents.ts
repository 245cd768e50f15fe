/** What a person has said yes to, so that the same need not be asked again. */
import type { AccountLimits, NewGrant } from '../../src/ports/accounts.ts'
import type { AccountStorage } from './account-storage.ts'
import type { Statements } from './schema.ts'

/** The oldest go first: a client that registers anew each time must not fill the account. */
const MAX_CONSENTS = 200

/** Adds the scopes to those that this client has for the same redirect and resource. */
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
  const known = consented(statements, client.id, redirectUri, resource, now) ?? []
  statements.putConsent({
    client_id: client.id,
    redirect_uri: redirectUri,
    resource,
    scopes: JSON.stringify([...new Set([...known, ...scopes])]),
    due_at: now + consentTtlMs,
  })
  statements.trimConsents(MAX_CONSENTS)
}

export class Consents {
  readonly #storage: AccountStorage

  constructor(storage: AccountStorage) {
    this.#storage = storage
  }

  /** Byte for byte: whoever differs in one of them is asked. */
  includes(
    clientId: string,
    redirectUri: string,
    resource: string,
    scopes: readonly string[],
  ): boolean {
    const { existing } = this.#storage
    if (existing === undefined) return false
    const known = consented(existing, clientId, redirectUri, resource, Date.now())
    return known !== undefined && scopes.every((scope) => known.includes(scope))
  }

  forget(clientId: string): void {
    this.#storage.changeExisting((statements) => statements.deleteConsents(clientId))
  }
}

function consented(
  statements: Statements,
  clientId: string,
  redirectUri: string,
  resource: string,
  now: number,
): readonly string[] | undefined {
  const row = statements.consent(clientId, redirectUri, resource)
  return row === undefined || now >= row.due_at ? undefined : JSON.parse(row.scopes)
}
