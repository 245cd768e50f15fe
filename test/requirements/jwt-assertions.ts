/** Grants by assertion are identity assertions alone; see `identity-assertions.ts`. */
import type { RequirementDocument } from './requirement.ts'

const JWT = 'https://www.rfc-editor.org/rfc/rfc7523'
const ASSERTIONS = 'https://www.rfc-editor.org/rfc/rfc7521'

export const jwtAssertions: RequirementDocument = {
  title: 'JWTs as client credentials and grants (RFC 7523, RFC 7521)',
  pages: [JWT, ASSERTIONS],
  requirements: [
    {
      id: 'one-assertion-as-grant',
      level: 'MUST',
      clauses: [`${JWT}#section-2.1`, `${ASSERTIONS}#section-4.1`],
      says: 'A request with the grant has one assertion.',
      tests: [
        'test/auth/server/grants/jwt-bearer.test.ts > an identity assertion > is required: a request %s is rejected with invalid_request',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > that is no JWT',
      ],
    },
    {
      id: 'one-assertion-as-credentials',
      level: 'MUST',
      clauses: [`${JWT}#section-2.2`, `${ASSERTIONS}#section-4.2`],
      says: 'A request with client authentication has one assertion and its type.',
      tests: [
        'test/auth/clients/client-authentication.test.ts > client authentication rejects a client > that %s',
      ],
    },
    {
      id: 'one-authentication-only',
      level: 'MUST NOT',
      clauses: [`${JWT}#section-2.2`],
      says: 'An assertion does not contain several JWTs, and a client does not authenticate in two ways.',
      tests: [
        'test/auth/clients/client-authentication.test.ts > client authentication rejects a client > that %s > sends a secret and an assertion',
      ],
    },
    {
      id: 'same-client',
      level: 'MUST',
      clauses: [`${ASSERTIONS}#section-4.2`],
      says: 'The client_id of a request is that of its assertion.',
      tests: [
        'test/auth/clients/client-authentication.test.ts > client authentication rejects a client > that %s > names another client in the form',
      ],
    },
    {
      id: 'narrower-scope',
      level: 'MUST',
      clauses: [`${ASSERTIONS}#section-4.1`],
      says: 'A request asks for no more than the assertion allows.',
      tests: [
        'test/auth/server/grants/jwt-bearer.test.ts > the scopes of an assertion > are %s',
        'test/auth/server/grants/jwt-bearer.test.ts > the scopes of an assertion > are rejected with invalid_scope when %s',
        'test/attacks/auth/deployment.test.ts > the assertion grant of /token > issues no scope beyond the assertion',
      ],
    },
    {
      id: 'issuer-claim',
      level: 'MUST',
      clauses: [`${JWT}#section-3`, `${ASSERTIONS}#section-5.1`, `${ASSERTIONS}#section-5.2`],
      says: 'An assertion has an issuer: the client, or the trusted provider.',
      tests: [
        'test/auth/clients/client-assertion.test.ts > authentication with private_key_jwt rejects an assertion > that %s > was issued by another client',
        'test/auth/clients/client-assertion.test.ts > authentication with private_key_jwt rejects an assertion > that %s > has no issuer',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > without an issuer',
      ],
    },
    {
      id: 'subject-claim',
      level: 'MUST',
      clauses: [`${JWT}#section-3`, `${ASSERTIONS}#section-5.1`, `${ASSERTIONS}#section-5.2`],
      says: 'An assertion has a subject, which is the client for authentication.',
      tests: [
        'test/auth/clients/client-assertion.test.ts > authentication with private_key_jwt rejects an assertion > that %s',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s',
      ],
    },
    {
      id: 'audience-claim',
      level: 'MUST',
      clauses: [`${JWT}#section-3`, `${ASSERTIONS}#section-5.1`, `${ASSERTIONS}#section-5.2`],
      says: 'An assertion is for this server, compared as a string, and refused otherwise.',
      tests: [
        'test/auth/clients/client-assertion.test.ts > authentication with private_key_jwt > accepts the audience %j, also in strict mode',
        'test/auth/clients/client-assertion.test.ts > authentication with private_key_jwt rejects an assertion > that %s > is for another server',
        'test/auth/clients/client-assertion.test.ts > authentication with private_key_jwt rejects an assertion > that %s > has no audience',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > for another server',
      ],
    },
    {
      id: 'expiry-claim',
      level: 'MUST',
      clauses: [`${JWT}#section-3`, `${ASSERTIONS}#section-5.1`, `${ASSERTIONS}#section-5.2`],
      says: 'An assertion has an expiry, and is refused after it.',
      tests: [
        'test/auth/clients/client-assertion.test.ts > authentication with private_key_jwt rejects an assertion > that %s > has no expiry',
        'test/auth/clients/client-assertion.test.ts > authentication with private_key_jwt rejects an assertion > that %s > has expired',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > without exp',
        'test/auth/clients/client-assertion.test.ts > authentication with private_key_jwt > accepts a clock difference of half a minute',
      ],
    },
    {
      id: 'not-before-claim',
      level: 'MUST NOT',
      clauses: [`${JWT}#section-3`],
      says: 'An assertion is not accepted before its time.',
      tests: [
        'test/auth/clients/client-assertion.test.ts > authentication with private_key_jwt rejects an assertion > that %s > is not valid yet',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > that is valid from 31 seconds ahead',
      ],
    },
    {
      id: 'signature',
      level: 'MUST',
      clauses: [`${JWT}#section-3`, `${ASSERTIONS}#section-5.1`, `${ASSERTIONS}#section-5.2`],
      says: 'An assertion is signed, and refused when its signature is invalid.',
      tests: [
        'test/auth/clients/client-assertion.test.ts > authentication with private_key_jwt rejects an assertion > that was signed with the key of another client',
        'test/auth/clients/client-assertion.test.ts > authentication with private_key_jwt rejects an assertion > that was modified after it was signed',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > that is not signed',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > that another key has signed',
      ],
    },
    {
      id: 'validity',
      level: 'MUST',
      clauses: [`${JWT}#section-3`, `${ASSERTIONS}#section-5.2`],
      says: 'An assertion that is invalid in any other way is refused.',
      tests: [
        'test/auth/clients/client-assertion.test.ts > authentication with private_key_jwt rejects an assertion > that %s',
        'test/auth/clients/client-assertion.test.ts > authentication with private_key_jwt rejects an assertion > that is %s',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s',
      ],
    },
    {
      id: 'credentials-beside-a-grant',
      level: 'MUST',
      clauses: [`${JWT}#section-3.1`, `${ASSERTIONS}#section-4.1`],
      says: 'Client credentials that come with an assertion are checked.',
      tests: [
        'test/attacks/auth/deployment.test.ts > the assertion grant of /token > rejects a client without this grant type or with a wrong secret',
        'test/auth/server/grants/jwt-bearer.test.ts > an identity assertion > is rejected with unauthorized_client from a client that does not authenticate',
      ],
    },
    {
      id: 'invalid-grant',
      level: 'MUST',
      clauses: [`${JWT}#section-3.1`, `${ASSERTIONS}#section-4.1.1`],
      says: 'An invalid assertion as a grant receives invalid_grant.',
      tests: [
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > that is no JWT',
      ],
    },
    {
      id: 'invalid-client',
      level: 'MUST',
      clauses: [`${JWT}#section-3.2`, `${ASSERTIONS}#section-4.2.1`],
      says: 'An invalid assertion as credentials receives invalid_client.',
      tests: [
        'test/auth/clients/client-assertion.test.ts > authentication with private_key_jwt rejects an assertion > that %s',
        'test/auth/clients/client-assertion.test.ts > authentication with private_key_jwt rejects an assertion > that was signed with the key of another client',
      ],
    },
    {
      id: 'rs256',
      level: 'MUST',
      clauses: [`${JWT}#section-5`],
      says: 'The server implements RS256.',
      tests: [
        'test/auth/clients/client-assertion.test.ts > authentication with private_key_jwt > accepts an assertion that is signed with %s',
      ],
    },
    {
      id: 'audience-by-agreement',
      level: 'MUST',
      clauses: [`${JWT}#section-5`, `${ASSERTIONS}#section-5.1`],
      says: 'The values of issuer and audience are agreed on: the issuer of this server.',
      tests: [
        'test/auth/clients/client-assertion.test.ts > authentication with private_key_jwt > accepts the audience %j, also in strict mode',
        'test/auth/clients/client-assertion.test.ts > authentication with private_key_jwt > accepts the audience %j as a leniency, which strict mode refuses',
      ],
    },
  ],
}
