/** Section 5 of OAuth 2.1. */
import type { RequirementDocument } from './requirement.ts'

const PAGE = 'https://www.ietf.org/archive/id/draft-ietf-oauth-v2-1-13.html'

export const oauth21ResourceRequests: RequirementDocument = {
  title: 'OAuth 2.1: resource requests',
  pages: [PAGE],
  requirements: [
    {
      id: 'token-and-scope-are-validated',
      level: 'MUST',
      clauses: [`${PAGE}#section-5`, `${PAGE}#section-5.2`],
      says: 'The resource server checks that a token is valid, not expired, for this resource, and of sufficient scope.',
      tests: [
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer checks claims and > rejects a token with %s',
        'test/auth/resource/verified-tokens.test.ts > VerifiedTokens > rejects a cached token when it expires',
        'test/clients/auth/audiences.test.ts > %s > is accepted at the resource of its token and rejected at the other',
        'test/examples/changes.test.ts > the changes example > notifies every listener that subscribed to the resource, and no other listener',
      ],
    },
    {
      id: 'one-way-to-send-a-token',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-5.1`],
      says: 'The client sends a token in one way.',
      concerns: 'client',
      tests: [
        'test/attacks/auth/bearer.test.ts > the endpoint rejects credentials > in the query beside a valid header',
        'test/attacks/auth/bearer.test.ts > the endpoint rejects credentials > in two headers',
        'test/auth/resource/presentation.test.ts > ResourceServer with several credentials > rejects several credentials in one header: %s',
        'test/auth/resource/presentation.test.ts > ResourceServer with several credentials > rejects a repeated header',
      ],
    },
    {
      id: 'tokens-in-queries-of-clients',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-5.1`],
      says: 'The client does not send a token in the query.',
      concerns: 'client',
      tests: [
        'test/auth/resource/presentation.test.ts > ResourceServer with several credentials > rejects a token in the query: ?%s',
      ],
    },
    {
      id: 'tokens-in-queries',
      level: 'MUST',
      clauses: [`${PAGE}#section-5.1`],
      says: 'The resource server ignores a token in the query.',
      deviation:
        'A token in the query never gives access, but the request is refused with 400 instead of being answered as if there were none: a client that leaks its token learns so at once, and section 5.3.2 names invalid_request for a token that is sent in two ways.',
      tests: [
        'test/auth/resource/presentation.test.ts > ResourceServer with several credentials > rejects a token in the query: ?%s',
        'test/attacks/auth/bearer.test.ts > the endpoint rejects credentials > in the query',
        'test/attacks/auth/bearer.test.ts > the endpoint rejects credentials > in the query beside a valid header',
      ],
    },
    {
      id: 'authorization-header-is-supported',
      level: 'MUST',
      clauses: [`${PAGE}#section-5.1.1`],
      says: 'The resource server reads the token from the Authorization header with the scheme Bearer.',
      tests: [
        'test/auth/resource/presentation.test.ts > ResourceServer with a valid token > accepts it after %j',
      ],
    },
    {
      id: 'tokens-in-forms',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-5.1.2`],
      says: 'The client sends a token in a form body only under the conditions of the section; this server reads none from a body.',
      concerns: 'client',
    },
    {
      id: 'ascii-forms',
      level: 'MUST',
      clauses: [`${PAGE}#section-5.1.2`],
      says: 'A form with a token is ASCII, and separates its parameters by &.',
      concerns: 'client',
    },
    {
      id: 'challenge',
      level: 'MUST',
      clauses: [`${PAGE}#section-5.3.1`],
      says: 'A response to a request without a valid token has WWW-Authenticate.',
      tests: [
        'test/auth/resource/presentation.test.ts > ResourceServer without a token > answers 401 with metadata URL and scopes, and without an error code',
        'test/auth/resource/presentation.test.ts > ResourceServer with malformed credentials > rejects %s as an invalid token',
        'test/attacks/auth/bearer.test.ts > the endpoint rejects an access token with > %s',
      ],
    },
    {
      id: 'bearer-scheme',
      level: 'MUST',
      clauses: [`${PAGE}#section-5.3.1`],
      says: 'The challenge has the scheme Bearer with parameters.',
      tests: [
        'test/auth/resource/presentation.test.ts > ResourceServer without a token > answers 401 with metadata URL and scopes, and without an error code',
        'test/auth/resource/presentation.test.ts > ResourceServer without a token > treats another scheme or an empty token as absent: %j',
      ],
    },
    {
      id: 'parameters-once',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-5.3.1`],
      says: 'Each parameter of a challenge occurs once.',
      tests: [
        'test/auth/resource/presentation.test.ts > ResourceServer without a token > answers 401 with metadata URL and scopes, and without an error code',
        'test/auth/resource/presentation.test.ts > ResourceServer.insufficientScope > names the needed and the granted scopes',
        'test/auth/resource/presentation.test.ts > ResourceServer.insufficientScope > puts the error into the DPoP challenge for a DPoP request',
      ],
    },
    {
      id: 'characters-of-challenges',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-5.3.1`],
      says: 'The parameters of a challenge have the permitted characters.',
      tests: [
        'test/auth/resource/presentation.test.ts > ResourceServer.insufficientScope > replaces characters that would end a quoted string',
        'test/auth/resource/presentation.test.ts > ResourceServer with several credentials > rejects a token in the query: ?%s',
      ],
    },
  ],
}
