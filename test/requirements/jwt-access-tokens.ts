import type { RequirementDocument } from './requirement.ts'

const PAGE = 'https://www.rfc-editor.org/rfc/rfc9068'

export const jwtAccessTokens: RequirementDocument = {
  title: 'JWT access tokens (RFC 9068)',
  pages: [PAGE],
  requirements: [
    {
      id: 'signed',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.1`],
      says: 'Access tokens are signed.',
      tests: [
        'test/auth/server/issue-tokens.test.ts > an access token of a grant > has the claims of RFC 9068, and the grant with its sealed key',
        'test/auth/server/metadata.test.ts > the key set > holds the key that an access token is signed with',
      ],
    },
    {
      id: 'no-algorithm-none',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-2.1`],
      says: 'Access tokens are not signed with none.',
      tests: [
        'test/auth/server/metadata.test.ts > the key set > holds the key that an access token is signed with',
        'test/attacks/auth/bearer.test.ts > the endpoint rejects an access token with > %s > alg none',
      ],
    },
    {
      id: 'rs256',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.1`],
      says: 'Authorization servers and resource servers support RS256.',
      deviation:
        'External issuers may use RS256. The embedded server signs with ES256 and accepts only that: it is the only reader of its tokens, and one algorithm for each issuer leaves nothing to confuse.',
      tests: [
        'test/auth/resource/external-issuer.test.ts > ResourceServer with an external issuer > accepts a token %s > RS256',
        'test/auth/server/metadata.test.ts > the key set > holds the key that an access token is signed with',
      ],
    },
    {
      id: 'type',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.1`],
      says: 'The header of an access token has the type at+jwt.',
      tests: [
        'test/auth/server/issue-tokens.test.ts > an access token of a grant > has the claims of RFC 9068, and the grant with its sealed key',
        'test/auth/server/metadata.test.ts > the key set > holds the key that an access token is signed with',
      ],
    },
    {
      id: 'claims',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.2`],
      says: 'An access token has iss, exp, aud, sub, client_id, iat and jti.',
      tests: [
        'test/auth/server/issue-tokens.test.ts > an access token of a grant > has the claims of RFC 9068, and the grant with its sealed key',
        'test/auth/server/issue-tokens.test.ts > an access token of a grant > keeps the id of the grant over a refresh and has a jti of its own',
      ],
    },
    {
      id: 'claims-have-meaning',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.2.3`],
      says: 'Each scope of a token has a meaning for its audience.',
      tests: [
        'test/auth/server/requested-scopes.test.ts > the authorization endpoint > grants %s',
        'test/auth/server/issue-tokens.test.ts > an access token of a grant > has the claims of RFC 9068, and the grant with its sealed key',
      ],
    },
    {
      id: 'default-audience',
      level: 'MUST',
      clauses: [`${PAGE}#section-3`],
      says: 'A token of a request without resource is for the default resource.',
      tests: [
        'test/auth/server/resource-parameter.test.ts > the authorization endpoint > grants a token for a request that names %s',
        'test/auth/server/grants/jwt-bearer.test.ts > the resource of an assertion > is %s',
      ],
    },
    {
      id: 'ambiguous-tokens',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-3`, `${PAGE}#section-5`],
      says: 'The authorization server issues no token whose authorization is ambiguous: a token is for one resource.',
      tests: [
        'test/auth/server/resource-parameter.test.ts > the authorization endpoint > refuses a request with two resources with invalid_target',
        'test/auth/server/issue-tokens.test.ts > an access token of a grant > has the claims of RFC 9068, and the grant with its sealed key',
      ],
    },
    {
      id: 'type-is-checked',
      level: 'MUST',
      clauses: [`${PAGE}#section-4`],
      says: 'The resource server accepts the type at+jwt alone.',
      deviation:
        'Many external issuers write the type JWT, which is accepted from them; their ID tokens are recognised by their claims and refused.',
      tests: [
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer checks the JOSE header and > rejects a token with %s > the type JWT',
        'test/auth/resource/external-issuer.test.ts > ResourceServer with an external issuer > rejects a token %s',
        'test/auth/resource/external-issuer.test.ts > ResourceServer with an external issuer > rejects an ID token, which has %s',
      ],
    },
    {
      id: 'encryption',
      level: 'MUST',
      clauses: [`${PAGE}#section-4`],
      says: 'An encrypted token is decrypted with the agreed keys, and a token that should be encrypted is refused otherwise; no encryption is agreed on, and an encrypted token is refused.',
      tests: [
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer with malformed tokens > rejects %s',
      ],
    },
    {
      id: 'issuer-is-checked',
      level: 'MUST',
      clauses: [`${PAGE}#section-4`],
      says: 'The issuer of a token is exactly the configured one.',
      tests: [
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer checks claims and > rejects a token with %s > an issuer with a trailing slash',
        'test/auth/resource/external-issuer.test.ts > ResourceServer with an external issuer > rejects a token %s',
        'test/auth/resource/external-issuer.test.ts > ResourceServer with several issuers > rejects a token of an issuer that is not trusted',
      ],
    },
    {
      id: 'audience-is-checked',
      level: 'MUST',
      clauses: [`${PAGE}#section-4`],
      says: 'The audience of a token contains this resource.',
      tests: [
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer checks claims and > rejects a token with %s > another audience',
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer checks claims and > rejects a token with %s > no audience',
        'test/attacks/auth/bearer.test.ts > the endpoint rejects an access token with > the audience of another resource',
        'test/auth/resource/external-issuer.test.ts > ResourceServer with an external issuer > accepts only the configured audience',
      ],
    },
    {
      id: 'signature-is-checked',
      level: 'MUST',
      clauses: [`${PAGE}#section-4`],
      says: 'The signature of a token is verified with a key of the issuer and the algorithm of the header, and none is refused.',
      tests: [
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer checks the JOSE header and > rejects a token whose header names the algorithm %j',
        'test/auth/resource/external-issuer.test.ts > ResourceServer with an external issuer > accepts every key of the issuer and rejects other keys',
        'test/auth/resource/external-issuer.test.ts > ResourceServer with several issuers > verifies a token with the keys of the issuer that it names',
        'test/attacks/auth/bearer.test.ts > the endpoint rejects an access token with > %s',
      ],
    },
    {
      id: 'expiry-is-checked',
      level: 'MUST',
      clauses: [`${PAGE}#section-4`],
      says: 'A token is refused after its expiry.',
      tests: [
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer checks claims and > rejects a token with %s > an expiry a minute ago',
        'test/auth/resource/verified-tokens.test.ts > VerifiedTokens > rejects a cached token when it expires',
      ],
    },
    {
      id: 'refusals',
      level: 'MUST',
      clauses: [`${PAGE}#section-4`],
      says: 'A request with an invalid token is refused with invalid_token.',
      tests: [
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer checks claims and > rejects a token with %s',
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer with malformed tokens > rejects %s',
      ],
    },
    {
      id: 'clients-and-people',
      level: 'MUST',
      clauses: [`${PAGE}#section-5`],
      says: 'The subject of a token cannot be chosen by a client so that it looks like a person.',
      tests: [
        'test/auth/server/issue-tokens.test.ts > an access token without a grant > names the client as its subject and no grant',
        'test/auth/server/assertion.test.ts > the subject of an assertion > is a fault of the server when the author makes %s of the claims',
      ],
    },
    {
      id: 'opaque-to-clients',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-6`],
      says: 'A client does not read its access token.',
      concerns: 'client',
    },
  ],
}
