/** Installs the features of `embedded()`: checks the values, and joins what they bring. */
import { readFeatures } from '../../feature/feature-values.ts'
import type { ClientSupport } from '../clients/client-support.ts'
import type { TokenVerifier } from '../resource/token-verifier.ts'
import type { ServerParts } from '../server/authorization-server.ts'
import {
  AUTH_FEATURE,
  type AuthFeature,
  type AuthFeatureParts,
  type AuthFeaturePlace,
  type HandleForm,
} from './auth-feature.ts'

export interface AuthFeatures {
  readonly clients: ClientSupport
  readonly forms: ReadonlyMap<string, HandleForm>
  /** @throws {TypeError} that names the option of a feature */
  check(): void
  create(place: AuthFeaturePlace): JoinedParts
}

export interface JoinedParts extends Pick<AuthFeatureParts, 'clientAssertions' | 'dpop'> {
  wrapVerifier(verifier: TokenVerifier): TokenVerifier
  readonly server: ServerParts
}

/** @throws {TypeError} for anything that is no feature, and for two values of one */
export function installAuthFeatures(passed: unknown = []): AuthFeatures {
  const kind = {
    option: 'embedded({ features })',
    examples: 'personalAccessTokens() and dpop()',
    symbol: AUTH_FEATURE,
  }
  if (!Array.isArray(passed)) {
    throw new TypeError(`${kind.option} must be a list of values like ${kind.examples}`)
  }
  const features = readFeatures<AuthFeature>(passed, kind)
  const setups = [...features.values()].map((feature) => feature[AUTH_FEATURE])
  return {
    clients: Object.assign({}, ...setups.map(({ clients }) => clients)),
    forms: new Map(setups.flatMap(({ forms }) => [...(forms ?? [])])),
    check: () => {
      for (const { check } of setups) check?.()
    },
    create: (place) => join(setups.flatMap(({ create }) => create?.(place) ?? [])),
  }
}

function join(parts: readonly AuthFeatureParts[]): JoinedParts {
  return {
    // Each of these belongs to one feature.
    dpop: parts.find(({ dpop }) => dpop)?.dpop,
    clientAssertions: parts.find(({ clientAssertions }) => clientAssertions)?.clientAssertions,
    wrapVerifier: (verifier) =>
      parts.reduce((inner, { wrapVerifier }) => wrapVerifier?.(inner) ?? inner, verifier),
    server: {
      metadata: Object.assign({}, ...parts.map(({ metadata }) => metadata)),
      exchanges: new Map(parts.flatMap(({ exchanges }) => Object.entries(exchanges ?? {}))),
      accountSections: parts.flatMap(({ accountSection }) => accountSection ?? []),
      async revokeToken(server, text) {
        for (const { revokeToken } of parts) if (await revokeToken?.(server, text)) return true
        return false
      },
    },
  }
}
