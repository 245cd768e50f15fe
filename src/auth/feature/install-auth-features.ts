/** Installs the features of `embedded()`: checks the values, and joins what they bring. */
import type { ClientSupport } from '../clients/client.ts'
import type { DpopSupport } from '../resource/dpop.ts'
import type { TokenVerifier } from '../resource/token-verifier.ts'
import type { Handle, ServerParts } from '../server/authorization-server.ts'
import {
  AUTH_FEATURE,
  type AuthFeatureParts,
  type AuthFeaturePlace,
  type AuthFeatureSetup,
  type ErasedPerson,
  readAuthFeatures,
} from './auth-feature.ts'

export interface AuthFeatures {
  readonly clients: ClientSupport
  readonly forms: ReadonlyMap<string, Handle>
  readonly pages: ReadonlyMap<string, Handle>
  /** @throws {TypeError} that names the option of a feature */
  check(): void
  create(place: AuthFeaturePlace): JoinedParts
  erase(person: ErasedPerson, env: unknown): Promise<void>
}

export interface JoinedParts extends Pick<AuthFeatureParts, 'clientAssertions' | 'checkDpop'> {
  readonly dpop: DpopSupport | undefined
  wrapVerifier(verifier: TokenVerifier): TokenVerifier
  readonly server: ServerParts
}

/**
 * @param others what features of the app bring
 * @throws {TypeError} for anything that is no feature, and for two values of one
 */
export function installAuthFeatures(
  passed: unknown,
  others: readonly AuthFeatureSetup[] = [],
): AuthFeatures {
  const features = readAuthFeatures(passed, 'embedded', 'personalAccessTokens() and dpop()')
  const setups = [...features.map((feature) => feature[AUTH_FEATURE]), ...others]
  return {
    clients: Object.assign({}, ...setups.map(({ clients }) => clients)),
    forms: new Map(setups.flatMap(({ forms }) => [...(forms ?? [])])),
    pages: new Map(setups.flatMap(({ pages }) => [...(pages ?? [])])),
    check: () => {
      for (const { check } of setups) check?.()
    },
    erase: async (person, env) => {
      for (const { erase } of setups) await erase?.(person, env)
    },
    create: (place) => ({
      ...join(setups.flatMap(({ create }) => create?.(place) ?? [])),
      dpop: setups.find(({ createDpop }) => createDpop)?.createDpop?.(),
    }),
  }
}

function join(parts: readonly AuthFeatureParts[]): Omit<JoinedParts, 'dpop'> {
  return {
    // Each of these belongs to one feature.
    checkDpop: parts.find(({ checkDpop }) => checkDpop)?.checkDpop,
    clientAssertions: parts.find(({ clientAssertions }) => clientAssertions)?.clientAssertions,
    wrapVerifier: (verifier) =>
      parts.reduce((inner, { wrapVerifier }) => wrapVerifier?.(inner) ?? inner, verifier),
    server: {
      metadata: Object.assign({}, ...parts.map(({ metadata }) => metadata)),
      exchanges: new Map(parts.flatMap(({ exchanges }) => Object.entries(exchanges ?? {}))),
      accountSections: parts.flatMap(({ accountSection }) => accountSection ?? []),
      consentChoices: parts.find(({ consentChoices }) => consentChoices)?.consentChoices,
      async revokeToken(server, text) {
        for (const { revokeToken } of parts) if (await revokeToken?.(server, text)) return true
        return false
      },
    },
  }
}
