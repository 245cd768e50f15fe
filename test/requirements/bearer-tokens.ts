import type { RequirementDocument } from './requirement.ts'

const PAGE = 'https://www.rfc-editor.org/rfc/rfc6750'

export const bearerTokens: RequirementDocument = {
  title: 'Bearer tokens (RFC 6750)',
  pages: [PAGE],
  requirements: [
    {
      id: 'one-method',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-2`],
      says: 'The client sends a token in one way.',
      concerns: 'client',
      tests: [
        'test/attacks/auth/bearer.test.ts > the endpoint rejects credentials > in the query beside a valid header',
        'test/attacks/auth/bearer.test.ts > the endpoint rejects credentials > in two headers',
        'test/auth/resource/presentation.test.ts > ResourceServer with several credentials > rejects several credentials in one header: %s',
      ],
    },
    {
      id: 'authorization-header',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.1`],
      says: 'The resource server supports the Authorization header.',
      tests: [
        'test/auth/resource/presentation.test.ts > ResourceServer with a valid token > accepts it after %j',
      ],
    },
    {
      id: 'form-body',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-2.2`],
      says: 'The client sends a token in a form body only under the conditions of the section; this server reads none from a body.',
      concerns: 'client',
    },
    {
      id: 'form-body-encoding',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.2`, `${PAGE}#section-2.3`],
      says: 'A form or query with a token is ASCII, and separates its parameters by &; this server accepts neither.',
      concerns: 'client',
    },
    {
      id: 'challenge',
      level: 'MUST',
      clauses: [`${PAGE}#section-3`],
      says: 'A response to a request without a valid token has WWW-Authenticate.',
      tests: [
        'test/auth/resource/presentation.test.ts > ResourceServer without a token > answers 401 with metadata URL and scopes, and without an error code',
        'test/auth/resource/presentation.test.ts > ResourceServer without a token > treats another scheme or an empty token as absent: %j',
        'test/auth/resource/presentation.test.ts > ResourceServer with malformed credentials > rejects %s as an invalid token',
      ],
    },
    {
      id: 'bearer-scheme',
      level: 'MUST',
      clauses: [`${PAGE}#section-3`],
      says: 'The challenge has the scheme Bearer with parameters.',
      tests: [
        'test/auth/resource/presentation.test.ts > ResourceServer without a token > answers 401 with metadata URL and scopes, and without an error code',
        'test/auth/resource/presentation.test.ts > ResourceServer.insufficientScope > names the needed and the granted scopes',
      ],
    },
    {
      id: 'attributes-once',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-3`],
      says: 'The attributes realm, scope, error, error_description and error_uri occur once each.',
      tests: [
        'test/auth/resource/presentation.test.ts > ResourceServer without a token > answers 401 with metadata URL and scopes, and without an error code',
        'test/auth/resource/presentation.test.ts > ResourceServer.insufficientScope > names the needed and the granted scopes',
        'test/auth/resource/presentation.test.ts > ResourceServer.insufficientScope > puts the error into the DPoP challenge for a DPoP request',
      ],
    },
    {
      id: 'attribute-characters',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-3`],
      says: 'The attributes have the permitted characters.',
      tests: [
        'test/auth/resource/presentation.test.ts > ResourceServer.insufficientScope > replaces characters that would end a quoted string',
      ],
    },
    {
      id: 'references-cannot-be-guessed',
      level: 'MUST',
      clauses: [`${PAGE}#section-5.2`],
      says: 'A token that is a reference cannot be guessed; access tokens here are signed and are no references.',
      tests: [
        'test/auth/server/issue-tokens.test.ts > an access token of a grant > has the claims of RFC 9068, and the grant with its sealed key',
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer with a modified token > rejects it when a character was removed or inserted',
      ],
    },
    {
      id: 'integrity',
      level: 'MUST',
      clauses: [`${PAGE}#section-5.2`],
      says: 'A token is protected from changes by its signature.',
      tests: [
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer with a modified token > rejects it when any character was replaced',
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer with a modified token > rejects a combination of the parts of two valid tokens',
        'test/attacks/auth/bearer.test.ts > the endpoint rejects an access token with > %s',
      ],
    },
    {
      id: 'tls',
      level: 'MUST',
      clauses: [`${PAGE}#section-5.2`],
      says: 'The servers use TLS, and tokens are confidential on the way; plain http is served on loopback hosts alone.',
      tests: [
        'test/security/entrance.test.ts > the host and origin checks under %s > answer a request to %s from origin %j with %i',
      ],
    },
    {
      id: 'token-encryption',
      level: 'MUST',
      clauses: [`${PAGE}#section-5.2`],
      says: 'What the client must not read in a token is encrypted: the key to the props is sealed.',
      tests: [
        'test/auth/server/issue-tokens.test.ts > an access token of a grant > has the claims of RFC 9068, and the grant with its sealed key',
        'test/durable-objects/account/storage.test.ts > the storage of an account > contains no issued secret and no readable props',
      ],
    },
    {
      id: 'cookies',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-5.2`, `${PAGE}#section-5.3`],
      says: 'Tokens are not stored in cookies that travel unprotected.',
      tests: [
        'test/attacks/auth/bearer.test.ts > the endpoint rejects credentials > in a cookie',
        'test/auth/server/browser-form.test.ts > the cookie of forms > is bound to the host, hidden from scripts and kept for 12 hours',
      ],
    },
    {
      id: 'cookies-csrf',
      level: 'MUST',
      clauses: [`${PAGE}#section-5.3`],
      says: 'What is stored in cookies is protected from cross-site requests.',
      tests: [
        'test/attacks/auth/consent.test.ts > /authorize/decision refuses, without a redirect, > a form that is sent %s',
        'test/auth/server/browser-form.test.ts > the form at %s is rejected with a page and status 403 > %s',
      ],
    },
    {
      id: 'limited-lifetime',
      level: 'MUST',
      clauses: [`${PAGE}#section-5.2`],
      says: 'The lifetime of a token is limited.',
      tests: [
        'test/auth/server/issue-tokens.test.ts > an access token of a grant > expires after accessTtlMs, in whole seconds',
        'test/auth/resource/verified-tokens.test.ts > VerifiedTokens > rejects a cached token when it expires',
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer checks claims and > rejects a token with %s',
      ],
    },
    {
      id: 'backend-confidentiality',
      level: 'MUST',
      clauses: [`${PAGE}#section-5.2`],
      says: 'A connection between a TLS proxy and the server is confidential.',
      concerns: 'author',
    },
    {
      id: 'client-duties',
      level: 'MUST',
      clauses: [`${PAGE}#section-5.2`, `${PAGE}#section-5.3`],
      says: 'The client uses TLS, checks certificates, and sends its tokens to no other party.',
      concerns: 'client',
    },
  ],
}
