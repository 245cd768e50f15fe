/** `edgeway/auth`: who may call: `embedded()`, `external()`, `verifier()`, `fromContext()`, and logins. */

export { type EmbeddedAuth, embedded } from '../embedded.ts'
export type { AuthConfig } from '../feature/auth-config.ts'
export type { AuthInfo, GrantProps } from '../protocol/auth-info.ts'
export type { JsonObject, JsonValue } from '../protocol/json.ts'
export type { OriginOptions } from '../security/configured-origins.ts'
export type { UpstreamTokenErrorReason } from '../server/upstream.ts'
export type { ClientAuthMethod, ClientGrantType } from './clients/client.ts'
export type { RedirectOptions } from './clients/redirect-policy.ts'
export type { RedirectPreset } from './clients/redirect-presets.ts'
export type { StaticClientOptions } from './clients/static-clients.ts'
export type { EmbeddedOptions } from './embedded-options.ts'
export { type ExternalOptions, external } from './external.ts'
export type { AuthFeature } from './feature/auth-feature.ts'
export { type AssertionsOptions, assertions } from './features/assertions.ts'
export { dpop } from './features/dpop.ts'
export { personalAccessTokens } from './features/personal-access-tokens.ts'
export { privateKeyJwt } from './features/private-key-jwt.ts'
export { type FromContextOptions, fromContext } from './from-context.ts'
export { type ApiKeyOptions, type ApiKeyOwner, apiKey } from './login/api-key.ts'
export type { ClaimedAttributes, IdClaims } from './login/claimed-attributes.ts'
export { type CloudflareAccessOptions, cloudflareAccess } from './login/cloudflare-access.ts'
export { type GitHubOptions, type GitHubUser, github } from './login/github.ts'
export { type GoogleOptions, google } from './login/google.ts'
export type {
  ApiKeyLogin,
  Login,
  LoginRequest,
  PassphraseLogin,
  Person,
  RedirectLogin,
  RedirectSite,
} from './login/login.ts'
export { LoginError, type LoginErrorOptions } from './login/login-error.ts'
export { type OidcOptions, oidc } from './login/oidc.ts'
export { type OwnLoginOptions, ownLogin } from './login/own-login.ts'
export { type PassphraseOptions, passphrase } from './login/passphrase.ts'
export type { Secret } from './login/secret.ts'
export type { UpstreamTokens } from './login/upstream-tokens.ts'
export type { AdmissionOptions, ScopesOf } from './people/admission.ts'
export type { AllowList } from './people/allow-list.ts'
export type {
  AttributeNeeds,
  KnownPerson,
  Organization,
  PersonAttributes,
} from './people/attributes.ts'
export type { RenewalOptions } from './renew-caller.ts'
export type { IssuerOptions } from './resource/external-issuer.ts'
export type { ScopeOptions } from './resource/scopes.ts'
export type { GrantCheckAges } from './resource/verified-tokens.ts'
export type { TrustedProviderOptions } from './server/assertion.ts'
export type { AuthLimits } from './server/auth-limits.ts'
export type { AuthHooks, IssueAnswer, IssueEvent } from './server/hooks.ts'
export type { SubjectOf } from './subject.ts'
export type { VerifiedCaller } from './verified-callers.ts'
export { type VerifierOptions, type Verify, verifier } from './verifier.ts'
