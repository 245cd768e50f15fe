/**
 * Decides who may come in, and which scopes a person may have.
 *
 * Decided at the sign-in, at each refresh and at each check of a grant: a decision at the sign-in alone would have no
 * effect on a grant of a year. Scopes are reduced and not refused (RFC 6749 §3.3), because clients request those of a
 * challenge. A refusal revokes no grant: a mistake in a list would disconnect everyone for good. An error of `scopesOf`
 * is 503, never a decision.
 */
import { withDeadline } from '../../platform/deadline.ts'
import { LoginError } from '../login/login-error.ts'
import type { ScopeTable } from '../resource/scopes.ts'
import { type AllowList, createAllowList, needsOf } from './allow-list.ts'
import {
  type AttributeNeeds,
  type KnownPerson,
  knownPerson,
  type PersonAttributes,
} from './attributes.ts'

/**
 * The scopes that a person may have, for example by a role; undefined for a person who may not come in. An
 * error means that it cannot be determined now: the request is answered with 503.
 */
export type ScopesOf = (
  person: KnownPerson,
  env: unknown,
) => readonly string[] | undefined | Promise<readonly string[] | undefined>

export interface AdmissionOptions {
  /** Who may come in: people on one of the lists. Default: everyone whom the login accepts. */
  readonly allow?: AllowList
  /**
   * Which scopes a person may have, such as by a role: `({ groups }) => groups.includes('admins') ?
   * ['read', 'write'] : ['read']`. Undefined lets the person not come in. With `allow`, it is asked about people who
   * are on a list: when a person signs in and consents, when an identity assertion is exchanged, at each refresh, and
   * at each check of a grant. Default: all scopes.
   */
  readonly scopesOf?: ScopesOf
}

/** What a person may do. */
export interface PersonAccess {
  /** With the scopes that they include; undefined for all scopes. */
  readonly scopes: ReadonlySet<string> | undefined
}

export interface Admission {
  readonly needs: AttributeNeeds
  /** Whether the scopes depend on the person. */
  readonly limitsScopes: boolean
  /**
   * Undefined for a person who may not come in.
   *
   * @throws {LoginError} `unavailable` when it cannot be determined now
   */
  accessOf(
    subject: string,
    attributes: PersonAttributes | undefined,
  ): Promise<PersonAccess | undefined>
}

/** Within the time of a grant check. */
const SCOPES_OF_TIMEOUT_MS = 4_000

/**
 * Undefined where everyone may have everything.
 *
 * @throws {TypeError} for an invalid list
 */
export function createAdmission(
  { allow, scopesOf }: AdmissionOptions,
  table: ScopeTable,
  env: unknown,
): Admission | undefined {
  if (allow === undefined && scopesOf === undefined) return undefined
  const isAllowed = allow === undefined ? () => true : createAllowList(allow)
  return {
    needs: needsOf(allow ?? {}),
    limitsScopes: scopesOf !== undefined,
    async accessOf(subject, attributes = {}) {
      const person = knownPerson(subject, attributes)
      if (!isAllowed(person)) return undefined
      if (scopesOf === undefined) return { scopes: undefined }
      const scopes = await callScopesOf(scopesOf, person, table, env)
      return scopes && { scopes: new Set(table.expand(scopes)) }
    },
  }
}

async function callScopesOf(
  scopesOf: ScopesOf,
  person: KnownPerson,
  { names }: ScopeTable,
  env: unknown,
): Promise<readonly string[] | undefined> {
  try {
    const scopes = await withDeadline(
      SCOPES_OF_TIMEOUT_MS,
      (async () => scopesOf(person, env))(),
      () => {
        throw new Error(`scopesOf took longer than ${SCOPES_OF_TIMEOUT_MS} ms`)
      },
    )
    if (scopes === undefined) return undefined
    const unknown = Array.isArray(scopes) ? scopes.find((name) => !names.includes(name)) : scopes
    if (unknown === undefined) return scopes
    throw new TypeError(
      `scopesOf must return scopes of this server, not ${JSON.stringify(unknown)}`,
    )
  } catch (cause) {
    const text = 'Your access cannot be checked at the moment'
    throw new LoginError(text, { cause, reason: 'unavailable' })
  }
}

/**
 * The requested scopes that a person may have. Of a scope that the person may not have, those remain that
 * it includes and the person may have.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-3.3
 */
export function limitScopes(
  requested: readonly string[],
  { scopes }: PersonAccess,
  table: ScopeTable,
): readonly string[] {
  if (scopes === undefined) return requested
  const limited = requested.flatMap((scope) =>
    scopes.has(scope) ? [scope] : table.expand([scope]).filter((part) => scopes.has(part)),
  )
  return [...new Set(limited)]
}
