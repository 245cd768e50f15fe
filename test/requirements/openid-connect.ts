/** Edgeway is a relying party that uses the code flow. It is no OpenID provider: the provider's clauses are not listed, except for the mirror of its metadata. */
import type { RequirementDocument } from './requirement.ts'

const CORE = 'https://openid.net/specs/openid-connect-core-1_0.html'
const DISCOVERY = 'https://openid.net/specs/openid-connect-discovery-1_0.html'

export const openidConnect: RequirementDocument = {
  title: 'OpenID Connect, for the upstream sign-in',
  pages: [CORE, DISCOVERY],
  requirements: [
    {
      id: 'openid-scope',
      level: 'MUST',
      clauses: [`${CORE}#AuthRequest`],
      says: 'An authentication request has the scope openid.',
      tests: [
        'test/auth/login/oidc.test.ts > the authorization request of an OpenID login > requests the configured scopes and always openid',
      ],
    },
    {
      id: 'request-parameters',
      level: 'MUST',
      clauses: [`${CORE}#AuthRequest`],
      says: 'An authentication request has response_type, client_id and a registered redirect_uri.',
      tests: [
        'test/auth/server/callback.test.ts > an approval > sends the browser to the provider with a nonce, a state and PKCE',
        'test/auth/login/oidc.test.ts > the authorization request of an OpenID login > has state, nonce and PKCE challenge of this browser',
      ],
    },
    {
      id: 'response-validation',
      level: 'MUST',
      clauses: [`${CORE}#AuthResponseValidation`],
      says: 'The relying party validates the response of the authorization endpoint.',
      tests: [
        'test/auth/login/hostile-upstream.test.ts > the callback of an OpenID login > rejects a response %s',
        'test/auth/login/hostile-upstream.test.ts > the callback of an OpenID login > rejects a response that repeats %s',
        'test/attacks/auth/upstream.test.ts > /authorize/callback shows an error page without a redirect when > the state is %j',
      ],
    },
    {
      id: 'token-request',
      level: 'MUST',
      clauses: [`${CORE}#TokenRequest`],
      says: 'The relying party redeems the code with its registered authentication.',
      tests: [
        'test/auth/login/oidc.test.ts > the callback of an OpenID login > exchanges the code with the PKCE verifier and the same callback URL',
        'test/auth/login/oidc.test.ts > the callback of an OpenID login > sends the client secret in the body when the provider accepts it only there',
        'test/auth/login/oidc.test.ts > the callback of an OpenID login > sends only the client id when there is no client secret',
      ],
    },
    {
      id: 'token-response-validation',
      level: 'MUST',
      clauses: [`${CORE}#TokenResponseValidation`],
      says: 'The relying party validates the token response and its ID token.',
      tests: [
        'test/auth/login/hostile-upstream.test.ts > an OpenID login > rejects an id token %s',
        'test/auth/login/hostile-upstream.test.ts > an OpenID login > rejects a token response whose id token is %s',
        'test/auth/login/hostile-upstream.test.ts > the token endpoint of a provider > ends the sign-in when it responds with %s',
        'test/auth/login/hostile-upstream.test.ts > the token endpoint of a provider > ends the sign-in when it returns a token of type %j',
      ],
    },
    {
      id: 'id-token-issuer',
      level: 'MUST',
      clauses: [`${CORE}#IDTokenValidation`],
      says: 'The issuer of the ID token is exactly that of the provider.',
      tests: [
        'test/auth/login/hostile-upstream.test.ts > an OpenID login > rejects an id token %s > of another issuer',
        'test/auth/server/callback.test.ts > a sign-in that fails > redirects to the client with access_denied when the id token %s > is of another issuer',
      ],
    },
    {
      id: 'id-token-audience',
      level: 'MUST',
      clauses: [`${CORE}#IDTokenValidation`],
      says: 'The audience of the ID token contains the client, and no other client that is not trusted.',
      tests: [
        'test/auth/login/hostile-upstream.test.ts > an OpenID login > rejects an id token %s > for another client',
        'test/auth/login/hostile-upstream.test.ts > an OpenID login > rejects an id token %s > for several audiences with azp of another client',
        'test/auth/login/oidc.test.ts > the callback of an OpenID login > accepts an id token for several audiences with azp of this client',
      ],
    },
    {
      id: 'id-token-signature',
      level: 'MUST',
      clauses: [`${CORE}#IDTokenValidation`],
      says: 'The signature of the ID token is verified with a key of the provider.',
      tests: [
        'test/auth/login/hostile-upstream.test.ts > an OpenID login > rejects an id token %s > with changed claims',
        'test/auth/login/hostile-upstream.test.ts > the key set of a provider > is not used for a key of another algorithm than that of the token',
        'test/auth/login/oidc.test.ts > the callback of an OpenID login > accepts id tokens signed with %s',
      ],
    },
    {
      id: 'id-token-mac',
      level: 'MUST',
      clauses: [`${CORE}#IDTokenValidation`],
      says: 'A MAC is verified with the client secret; algorithms with a MAC are refused.',
      tests: [
        'test/auth/login/hostile-upstream.test.ts > an OpenID login > rejects an id token %s',
        'test/auth/login/hostile-upstream.test.ts > the key set of a provider > is not used for symmetric keys',
      ],
    },
    {
      id: 'id-token-expiry',
      level: 'MUST',
      clauses: [`${CORE}#IDTokenValidation`],
      says: 'The ID token is refused after its expiry.',
      tests: [
        'test/auth/login/hostile-upstream.test.ts > an OpenID login > rejects an id token %s > that has expired',
        'test/auth/login/hostile-upstream.test.ts > an OpenID login > accepts an id token %s, because clocks differ',
      ],
    },
    {
      id: 'id-token-nonce',
      level: 'MUST',
      clauses: [`${CORE}#IDTokenValidation`],
      says: 'The nonce of the ID token is that of the request.',
      tests: [
        'test/auth/server/callback.test.ts > a sign-in that fails > redirects to the client with access_denied when the id token %s',
        'test/auth/login/hostile-upstream.test.ts > an OpenID login > rejects an id token %s > without a nonce',
        'test/auth/login/hostile-upstream.test.ts > an OpenID login > rejects an id token %s > with the nonce of another browser',
        'test/attacks/auth/upstream.test.ts > /authorize/callback redirects access_denied to the client when > %s',
      ],
    },
    {
      id: 'id-token-claims',
      level: 'MUST',
      clauses: [`${CORE}#IDToken`],
      says: 'An ID token has iss, sub, aud, exp and iat.',
      tests: [
        'test/auth/login/hostile-upstream.test.ts > an OpenID login > rejects an id token %s > without an issuer',
        'test/auth/login/hostile-upstream.test.ts > an OpenID login > rejects an id token %s > without a subject',
        'test/auth/login/hostile-upstream.test.ts > an OpenID login > rejects an id token %s > without an audience',
        'test/auth/login/hostile-upstream.test.ts > an OpenID login > rejects an id token %s > that never expires',
        'test/auth/login/hostile-upstream.test.ts > an OpenID login > rejects an id token %s > without iat',
      ],
    },
    {
      id: 'id-token-encryption',
      level: 'MUST',
      clauses: [`${CORE}#IDTokenValidation`],
      says: 'An encrypted ID token is decrypted with the agreed keys; none are agreed on, and it is refused.',
      tests: [
        'test/auth/login/hostile-upstream.test.ts > an OpenID login > rejects an id token %s',
      ],
    },
    {
      id: 'refreshed-id-token',
      level: 'MUST',
      clauses: [`${CORE}#RefreshTokenResponse`],
      says: 'An ID token of a refresh names the same issuer, subject and audience.',
      untested:
        'A refresh renews the upstream tokens alone; an ID token in its response is not read.',
    },
    {
      id: 'subject-of-userinfo',
      level: 'MUST',
      clauses: [`${CORE}#UserInfoResponse`],
      says: 'The subject of a UserInfo response is that of the ID token.',
      untested: 'The UserInfo endpoint is not used: the claims come from the ID token.',
    },
    {
      id: 'transport',
      level: 'MUST',
      clauses: [`${CORE}#TLSRequirements`, `${DISCOVERY}#TLSRequirements`],
      says: 'The relying party talks to the provider over TLS.',
      tests: [
        'test/auth/login/oidc.test.ts > the option `issuer` > throws a TypeError for %j',
        'test/auth/login/hostile-upstream.test.ts > the metadata of a provider > ends the sign-in when it is a document %s > with a token endpoint over plain http',
      ],
    },
    {
      id: 'metadata-path',
      level: 'MUST',
      clauses: [`${DISCOVERY}#ProviderConfigurationRequest`],
      says: 'The metadata of a provider is below its issuer, without the slash at its end.',
      tests: [
        'test/auth/login/oidc.test.ts > the metadata of a provider > is fetched below the path of the issuer',
        'test/auth/login/oidc.test.ts > the metadata of a provider > is fetched without a double slash when the issuer ends with one',
      ],
    },
    {
      id: 'metadata-issuer',
      level: 'MUST',
      clauses: [`${DISCOVERY}#ProviderConfigurationValidation`],
      says: 'The issuer in the metadata is exactly the configured one.',
      tests: [
        'test/auth/login/hostile-upstream.test.ts > the metadata of a provider > ends the sign-in when it is a document %s > of another issuer',
      ],
    },
    {
      id: 'metadata-response',
      level: 'MUST',
      clauses: [`${DISCOVERY}#ProviderConfigurationResponse`],
      says: 'The metadata is served with 200 as application/json, and members without elements are omitted.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
        'test/auth/login/hostile-upstream.test.ts > the metadata of a provider > ends the sign-in when it is %s',
      ],
    },
    {
      id: 'required-metadata',
      level: 'MUST',
      clauses: [`${DISCOVERY}#ProviderMetadata`],
      says: 'The metadata has issuer, endpoints, jwks_uri, response_types_supported, subject_types_supported and id_token_signing_alg_values_supported.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
        'test/clients/auth/first-try.test.ts > the metadata of the authorization server > is the same at its OpenID address',
      ],
    },
    {
      id: 'rs256-of-providers',
      level: 'MUST',
      clauses: [`${DISCOVERY}#ProviderMetadata`],
      says: 'A provider lists RS256 for its ID tokens.',
      deviation:
        'The document at the OpenID address mirrors the OAuth metadata for clients that look only there (RFC 8414 section 5). The server issues no ID tokens, so it promises no algorithm that it does not have.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
      ],
    },
    {
      id: 'issuer-discovery',
      level: 'MUST',
      clauses: [`${DISCOVERY}#IssuerDiscovery`],
      says: 'The issuer of a person is found by WebFinger; here the author configures the issuer.',
      untested: 'Issuer discovery is optional and not used.',
    },
  ],
}
