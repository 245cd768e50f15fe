/** The clauses for the authorization server of the resource. Those for the identity provider and its token exchange (sections 4.3, 4.5 and 6) are not listed. */
import type { RequirementDocument } from './requirement.ts'

const PAGE =
  'https://www.ietf.org/archive/id/draft-ietf-oauth-identity-assertion-authz-grant-03.html'

export const identityAssertions: RequirementDocument = {
  title: 'Identity assertion authorization grant',
  pages: [PAGE],
  requirements: [
    {
      id: 'claims',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.1`],
      says: 'An assertion has iss, sub, aud, client_id, jti, exp and iat; one without them is refused.',
      tests: [
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > without an issuer',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > without a subject',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > without an audience',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > without a client',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > without a jti',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > without exp',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > without iat',
      ],
    },
    {
      id: 'type',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.1`, `${PAGE}#section-4.4.1`],
      says: 'The type of an assertion is oauth-id-jag+jwt.',
      tests: [
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > of another type',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > without a type',
        'test/auth/server/assertion.test.ts > an identity assertion is accepted > %s > with a media type in upper case',
      ],
    },
    {
      id: 'subject-uniqueness',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.1`, `${PAGE}#section-6.3`],
      says: 'The subject of an assertion is unique for its issuer, and in several tenants together with the tenant; a provider with several tenants needs the option subject.',
      concerns: 'author',
      tests: [
        'test/auth/server/assertion.test.ts > the subject of an assertion > is prefixed with its issuer, so that providers cannot name the same person',
        'test/auth/server/assertion.test.ts > the subject of an assertion > is what the author makes of the claims',
      ],
    },
    {
      id: 'grant-parameters',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.4`],
      says: 'A request has the grant type and an assertion.',
      tests: [
        'test/auth/server/grants/jwt-bearer.test.ts > an identity assertion > is required: a request %s is rejected with invalid_request',
        'test/auth/server/token.test.ts > the token endpoint > rejects a request with %s',
      ],
    },
    {
      id: 'audience',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.4.1`],
      says: 'The server accepts an assertion for its issuer alone, as a text or a list of one, and answers any other with invalid_grant.',
      tests: [
        'test/auth/server/assertion.test.ts > an identity assertion is accepted > %s > with the audience as a list of one',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > for several servers',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > for the token endpoint',
        'test/attacks/auth/deployment.test.ts > the assertion grant of /token > rejects an assertion with two audiences',
      ],
    },
    {
      id: 'same-client',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.4.1`],
      says: 'The server refuses the assertion of another client with invalid_grant.',
      tests: [
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > for another client',
      ],
    },
    {
      id: 'resource',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.4.1`],
      says: 'The server processes the resource of an assertion, a text or a list.',
      tests: [
        'test/auth/server/grants/jwt-bearer.test.ts > the resource of an assertion > is %s',
        'test/auth/server/grants/jwt-bearer.test.ts > the resource of an assertion > makes it useless here: invalid_grant when it %s',
        'test/auth/server/grants/jwt-bearer.test.ts > the resource of an assertion > is rejected with invalid_target when %s',
      ],
    },
    {
      id: 'scope',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.4.1`],
      says: 'The server processes the scope of an assertion.',
      tests: [
        'test/auth/server/grants/jwt-bearer.test.ts > the scopes of an assertion > are %s',
        'test/auth/server/grants/jwt-bearer.test.ts > the scopes of an assertion > make it useless here: invalid_grant when %s',
        'test/auth/server/grants/jwt-bearer.test.ts > the scopes of an assertion > are rejected with invalid_scope when %s',
      ],
    },
    {
      id: 'authorization-details',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.4.1`],
      says: 'The server processes authorization_details by RFC 9396, which refuses unknown types; all types are unknown here.',
      tests: [
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > with authorization details',
      ],
    },
    {
      id: 'granted-scope',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.4.1`],
      says: 'The token response names the granted scope.',
      tests: [
        'test/auth/server/grants/jwt-bearer.test.ts > an identity assertion > is exchanged for an access token of one hour without a refresh token',
        'test/auth/server/grants/jwt-bearer.test.ts > the scopes of an assertion > are %s',
      ],
    },
    {
      id: 'granted-resource',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.4.1`],
      says: 'The token response names the granted resource in the format of RFC 8707.',
      deviation:
        'RFC 8707 defines no member of a token response: the audience of the access token names the resource.',
      tests: ['test/auth/server/grants/jwt-bearer.test.ts > the resource of an assertion > is %s'],
    },
    {
      id: 'grant-profiles',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.2`],
      says: 'A server that lists the profile in its metadata lists the grant type too.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
      ],
    },
    {
      id: 'no-trust-disclosure',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-8.4`],
      says: 'The metadata does not disclose which providers are trusted.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
      ],
    },
    {
      id: 'bound-assertion',
      level: 'MUST',
      clauses: [`${PAGE}#section-8.6.1.2.1`],
      says: 'An assertion with a key is accepted with a proof of exactly that key.',
      tests: [
        'test/auth/server/grants/jwt-bearer.test.ts > an assertion that is bound to a key > is exchanged with a proof of that key, for a token that is bound to it',
        'test/auth/server/grants/jwt-bearer.test.ts > an assertion that is bound to a key > is rejected with invalid_grant without a proof of that key, and not used up',
        'test/auth/server/grants/jwt-bearer.test.ts > an assertion that is bound to a key > is rejected with invalid_grant when cnf %s',
      ],
    },
    {
      id: 'bound-assertion-without-proof',
      level: 'MUST',
      clauses: [`${PAGE}#section-8.6.1.2.2`],
      says: 'An assertion with a key and without a proof receives invalid_grant.',
      tests: [
        'test/auth/server/grants/jwt-bearer.test.ts > an assertion that is bound to a key > is rejected with invalid_grant without a proof of that key, and not used up',
      ],
    },
    {
      id: 'proof-without-binding',
      level: 'MUST',
      clauses: [`${PAGE}#section-8.6.1.2.3`],
      says: 'A proof that comes with an unbound assertion is checked.',
      tests: [
        'test/auth/server/grants/dpop.test.ts > a proof at the token endpoint > is rejected with invalid_dpop_proof %s, and the code is not spent',
        'test/auth/server/grants/dpop.test.ts > a proof of a request that is rejected > writes nothing',
      ],
    },
    {
      id: 'required-binding',
      level: 'MUST',
      clauses: [`${PAGE}#section-8.6.1.2.4`],
      says: 'A server that requires bound tokens refuses a request without a proof; this one does not require them.',
      untested: 'No resource requires bound tokens.',
    },
  ],
}
