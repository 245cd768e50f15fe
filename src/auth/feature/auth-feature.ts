/**
 * The contract of a feature of `embedded()`: what the authorization server gives to it, and what it brings.
 * The authorization server imports none of the features; an app contains those that its author passes.
 */

import { ExtensionPoint } from '../../feature/extension-point.ts'
import { readFeatures } from '../../feature/feature-values.ts'
import type { DocumentStore } from '../../ports/documents.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { TelemetrySink } from '../../ports/telemetry.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { ClientSupport } from '../clients/client.ts'
import type { ClientAssertions } from '../clients/client-authentication.ts'
import type { GuardedFetch } from '../fetch/guarded-fetch.ts'
import type { DpopCheck, DpopSupport } from '../resource/dpop.ts'
import type { Resources } from '../resource/resources.ts'
import type { TokenVerifier } from '../resource/token-verifier.ts'
import type {
  AccountSection,
  AuthorizationServer,
  ConsentChoices,
  Exchange,
  Handle,
} from '../server/authorization-server.ts'

/** The member by which `embedded()` recognises a feature of its own copy of the package. */
export const AUTH_FEATURE: unique symbol = Symbol('edgeway.auth-feature')

/** A value for the option `features` of `embedded()`. */
export interface AuthFeature<Name extends string = string> {
  readonly name: Name
  /** @internal */
  readonly [AUTH_FEATURE]: AuthFeatureSetup
}

/** A person at one issuer. */
export interface ErasedPerson {
  readonly issuer: string
  readonly subject: string
}

export interface AuthFeatureSetup {
  /**
   * Checks the options of the feature when the app is created.
   *
   * @throws {TypeError} that names the option
   */
  readonly check?: () => void
  /** What clients may register because of it. */
  readonly clients?: ClientSupport
  /** Forms of the account page, by path. */
  readonly forms?: ReadonlyMap<string, Handle>
  /** Pages, by path. With a form at the same path, that receives what is sent with POST. */
  readonly pages?: ReadonlyMap<string, Handle>
  /** Deletes what a person has of it. Called with the account of the person. */
  readonly erase?: (person: ErasedPerson, env: unknown) => Promise<void>
  /** Checks the proofs of requests with bound tokens. Called once for each issuer and environment. */
  readonly createDpop?: () => DpopSupport
  /** Called once for each issuer and environment. */
  readonly create?: (place: AuthFeaturePlace) => AuthFeatureParts
}

/** What the authorization server of one issuer and environment gives to its features. */
export interface AuthFeaturePlace {
  readonly issuer: string
  readonly tokenEndpoint: string
  readonly resources: Resources
  readonly sealer: Sealer
  readonly documents: DocumentStore
  /** Fetches URLs that clients name. */
  readonly guardedFetch: GuardedFetch
  /** Whether the leniencies of authorization are refused. */
  readonly strict: boolean
  readonly report: TelemetrySink
}

/** What a feature brings. Each member is one extension point. */
export interface AuthFeatureParts {
  /** Members of the metadata of the issuer. */
  readonly metadata?: JsonObject
  /** Wraps the verifier of access tokens, to verify tokens of another kind too. */
  readonly wrapVerifier?: (verifier: TokenVerifier) => TokenVerifier
  /** Checks the proofs of token requests. */
  readonly checkDpop?: DpopCheck
  /** Exchanges by their grant type. */
  readonly exchanges?: Readonly<Record<string, Exchange>>
  /** Authenticates clients that sign assertions. */
  readonly clientAssertions?: ClientAssertions
  readonly accountSection?: AccountSection
  readonly consentChoices?: ConsentChoices
  /** Revokes a token for its holder, without a client. False when the text is of another kind. */
  readonly revokeToken?: (server: AuthorizationServer, text: string) => Promise<boolean>
}

/** What other features of the app bring to `embedded()`. */
export const AUTH_SETUP = new ExtensionPoint<AuthFeatureSetup>()

export function createAuthFeature<const Name extends string>(
  name: Name,
  setup: AuthFeatureSetup,
): AuthFeature<Name> {
  return { name, [AUTH_FEATURE]: setup }
}

/** @throws {TypeError} for anything that is no feature, and for two values of one */
export function readAuthFeatures(
  passed: unknown = [],
  type: 'embedded' | 'external',
  examples: string,
): readonly AuthFeature[] {
  const option = `${type}({ features })`
  if (!Array.isArray(passed)) {
    throw new TypeError(`${option} must be a list of values like ${examples}`)
  }
  return [...readFeatures<AuthFeature>(passed, { option, examples, symbol: AUTH_FEATURE }).values()]
}
