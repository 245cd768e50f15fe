import type { RequirementDocument } from './requirement.ts'

const PAGE = 'https://www.rfc-editor.org/rfc/rfc7009'

export const tokenRevocation: RequirementDocument = {
  title: 'Token revocation (RFC 7009)',
  pages: [PAGE],
  requirements: [
    {
      id: 'refresh-tokens',
      level: 'MUST',
      clauses: [`${PAGE}#section-2`],
      says: 'The server supports the revocation of refresh tokens.',
      tests: [
        'test/auth/server/revoke.test.ts > the revocation endpoint > ends the grant of the %s token',
        'test/auth/server/revoke.test.ts > the revocation endpoint > ends the grant of a refresh token that was spent before',
        'test/clients/auth/revoking.test.ts > %s > is rejected after it revokes its %s, and continues after a new authorization',
      ],
    },
    {
      id: 'tls',
      level: 'MUST',
      clauses: [`${PAGE}#section-2`],
      says: 'The revocation endpoint is an https URL; plain http is served on loopback hosts alone.',
      tests: [
        'test/security/entrance.test.ts > the host and origin checks under %s > answer a request to %s from origin %j with %i > http://evil.example:8787/mcp',
        'test/attacks/auth/common-checks.test.ts > a host that is not served > is rejected with 403 at %s',
      ],
    },
    {
      id: 'certificates',
      level: 'MUST',
      clauses: [`${PAGE}#section-2`],
      says: 'A client checks the certificate of the server.',
      concerns: 'client',
    },
    {
      id: 'token',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.1`],
      says: 'A revocation request has a token.',
      tests: [
        'test/auth/server/revoke.test.ts > the revocation endpoint > rejects a request %s with invalid_request',
      ],
    },
    {
      id: 'all-token-types',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.1`],
      says: 'The server looks for the token among all its types, also against the hint.',
      tests: [
        'test/auth/server/revoke.test.ts > the revocation endpoint > ignores token_type_hint',
      ],
    },
    {
      id: 'revocation-is-immediate',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.1`],
      says: 'A revoked token is refused afterwards: at once in the isolate that revokes, and within 30 seconds elsewhere.',
      tests: [
        'test/auth/server/revoke.test.ts > the revocation endpoint > ends the grant of the %s token',
        'test/auth/resource/grant-checks.test.ts > VerifiedTokens after the grant was revoked > rejects tokens of an evicted grant at once, and no others',
        'test/auth/resource/grant-checks.test.ts > VerifiedTokens after the grant was revoked > rejects the token 30 seconds after the last check at the latest',
        'test/auth/server/grant-check.test.ts > a grant that was revoked in another isolate > is accepted for less than 30 seconds after its last check',
      ],
    },
    {
      id: 'revoked-tokens-of-clients',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-2.1`],
      says: 'A client does not use a token that it has revoked.',
      concerns: 'client',
      tests: [
        'test/auth/resource/grant-checks.test.ts > VerifiedTokens after the grant was revoked > rejects the token with the next check, and repeats the refusal for a second',
      ],
    },
    {
      id: 'guessing',
      level: 'MUST',
      clauses: [`${PAGE}#section-5`],
      says: 'The revocation endpoint is protected from floods and guesses like the token endpoint.',
      tests: [
        'test/auth/server/wrong-secrets.test.ts > a wrong client secret > is counted at %s too',
        'test/auth/server/revoke.test.ts > the revocation endpoint > answers 200 to another client that presents the %s token, and ends nothing',
        'test/attacks/auth/common-checks.test.ts > %s rejects > 10 MB with the framing %j',
      ],
    },
  ],
}
