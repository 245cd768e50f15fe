import type { RequirementDocument } from './requirement.ts'

const PAGE = 'https://www.rfc-editor.org/rfc/rfc7636'

export const pkce: RequirementDocument = {
  title: 'PKCE (RFC 7636)',
  pages: [PAGE],
  requirements: [
    {
      id: 's256-is-implemented',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.2`],
      says: 'The client uses S256 where it can, which the server implements.',
      concerns: 'client',
      tests: [
        'test/auth/server/pkce.test.ts > the authorization endpoint > accepts an S256 code challenge',
        'test/auth/server/pkce.test.ts > the token endpoint > accepts a code verifier %s',
      ],
    },
    {
      id: 'code-challenge',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.3`],
      says: 'An authorization request has a code_challenge.',
      concerns: 'client',
      tests: [
        'test/auth/server/pkce.test.ts > the authorization endpoint > rejects a request %s with invalid_request',
      ],
    },
    {
      id: 'challenge-is-kept',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.4`],
      says: 'The server keeps challenge and method with the code.',
      tests: [
        'test/auth/server/pkce.test.ts > the token endpoint > rejects %s',
        'test/property/code-redemption.test.ts > decideCodeRedemption > refuses without any effect exactly the requests that do not belong to the grant, or are late',
      ],
    },
    {
      id: 'challenge-is-not-disclosed',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-4.4`],
      says: 'The server does not disclose the challenge in the code: it is a seal without it.',
      tests: [
        'test/auth/server/decision.test.ts > an approval > redirects to the client with a code and signs the browser in for 12 hours',
        'test/auth/server/grants/authorization-code.test.ts > a code > discloses neither its person nor the code challenge',
      ],
    },
    {
      id: 'challenge-is-required',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.4.1`],
      says: 'A request without a challenge receives invalid_request.',
      tests: [
        'test/auth/server/pkce.test.ts > the authorization endpoint > rejects a request %s with invalid_request > without code_challenge',
        'test/attacks/auth/authorize.test.ts > /authorize shows a page with a link that returns the error and iss for > $title > no code challenge',
      ],
    },
    {
      id: 'unsupported-method',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.4.1`],
      says: 'A request with another method than S256 receives invalid_request.',
      tests: [
        'test/auth/server/pkce.test.ts > the authorization endpoint > rejects a request %s with invalid_request > with the method s256 in lower case',
        'test/attacks/auth/authorize.test.ts > /authorize shows a page with a link that returns the error and iss for > $title > the plain PKCE method',
      ],
    },
    {
      id: 'code-verifier',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.5`],
      says: 'A token request has the code_verifier.',
      concerns: 'client',
      tests: ['test/auth/server/pkce.test.ts > the token endpoint > rejects %s'],
    },
    {
      id: 'method-of-the-code',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.5`, `${PAGE}#section-4.6`],
      says: 'The server checks the verifier with the method of the authorization request, and returns tokens when it matches.',
      tests: [
        'test/auth/server/pkce.test.ts > the token endpoint > accepts a code verifier %s',
        'test/auth/server/pkce.test.ts > the token endpoint > rejects %s',
      ],
    },
    {
      id: 'wrong-verifier',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.6`],
      says: 'A verifier that does not match receives invalid_grant.',
      tests: [
        'test/auth/server/pkce.test.ts > the token endpoint > rejects %s > another code verifier',
        'test/attacks/auth/tokens.test.ts > /token rejects a code, which stays valid, with > %s',
      ],
    },
    {
      id: 'entropy-of-verifiers',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.1`],
      says: 'The client creates a verifier that cannot be guessed; the upstream sign-in derives it from a random secret.',
      concerns: 'client',
      tests: [
        'test/auth/server/callback.test.ts > the callback > serves two sign-ins of one browser at the same time',
        'test/auth/login/oidc.test.ts > the authorization request of an OpenID login > has state, nonce and PKCE challenge of this browser',
      ],
    },
    {
      id: 'plain',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-7.2`],
      says: 'The method plain is not used by new implementations; this server refuses it.',
      tests: [
        'test/auth/server/pkce.test.ts > the authorization endpoint > rejects a request %s with invalid_request > with the method plain',
        'test/attacks/auth/authorize.test.ts > /authorize shows a page with a link that returns the error and iss for > $title > the plain PKCE method',
      ],
    },
  ],
}
