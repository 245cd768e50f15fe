import { mcp, type RequirementDocument } from './requirement.ts'

export const authorizationSecurity: RequirementDocument = {
  title: 'Authorization: security considerations',
  pages: [
    ...mcp('basic/authorization', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
    ...mcp('basic/authorization/security-considerations', '2026-07-28'),
  ],
  requirements: [
    {
      id: 'oauth-2-1-security',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#implementation-requirements', '2025-03-26'),
        ...mcp(
          'basic/authorization#security-considerations',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
        ...mcp('basic/authorization/security-considerations', '2026-07-28'),
      ],
      says: 'The implementation follows the security practices of OAuth 2.1, whose clauses are listed in oauth-2-1-security.',
      tests: [
        'test/conformance/authorization.test.ts > the authorization scenarios of %s > include %s, which passes',
        'test/auth/server/pkce.test.ts > the authorization endpoint > rejects a request %s with invalid_request',
        'test/auth/server/grants/refresh-token.test.ts > a refresh token > is rejected %s with invalid_grant and ends the grant',
        'test/attacks/auth/consent.test.ts > /authorize/decision refuses, without a redirect, > a form without its cookie',
      ],
    },
    {
      id: 'token-storage',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#token-theft', '2025-06-18', '2025-11-25'),
        ...mcp('basic/authorization/security-considerations#token-theft', '2026-07-28'),
      ],
      says: 'The server stores tokens securely: an account holds digests, and no token.',
      tests: [
        'test/durable-objects/account/storage.test.ts > the storage of an account > contains no issued secret and no readable props',
        'test/durable-objects/account/storage.test.ts > the storage of an account > is not enough to forge a refresh token of the %s generation',
      ],
    },
    {
      id: 'token-storage-of-clients',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#token-theft', '2025-06-18', '2025-11-25'),
        ...mcp('basic/authorization/security-considerations#token-theft', '2026-07-28'),
        ...mcp('basic/authorization#security-considerations', '2025-03-26'),
      ],
      says: 'The client stores tokens securely.',
      concerns: 'client',
    },
    {
      id: 'refresh-token-rotation',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#token-theft', '2025-06-18', '2025-11-25'),
        ...mcp('basic/authorization/security-considerations#token-theft', '2026-07-28'),
      ],
      says: 'The authorization server rotates the refresh tokens of public clients.',
      tests: [
        'test/auth/server/grants/refresh-token.test.ts > a refresh token > is exchanged for an access token and the next refresh token',
        'test/auth/server/grants/refresh-token.test.ts > a refresh token > is rejected %s with invalid_grant and ends the grant',
        'test/clients/auth/refreshing.test.ts > %s > refreshes repeatedly with a new refresh token each time',
      ],
    },
    {
      id: 'communication-security',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#communication-security', '2025-06-18', '2025-11-25'),
        ...mcp('basic/authorization/security-considerations#communication-security', '2026-07-28'),
      ],
      says: 'The implementation follows the rules of OAuth 2.1 for communication security.',
      tests: [
        'test/security/entrance.test.ts > the host and origin checks under %s > answer a request to %s from origin %j with %i > http://evil.example:8787/mcp',
        'test/auth/clients/redirect-uri.test.ts > parseRedirectUri rejects > %j',
        'test/auth/login/oidc.test.ts > the option `issuer` > accepts plain http on a loopback host: %s',
        'test/attacks/auth/common-checks.test.ts > a host that is not served > is rejected with 403 at %s',
      ],
    },
    {
      id: 'https-endpoints',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#communication-security', '2025-06-18', '2025-11-25'),
        ...mcp('basic/authorization/security-considerations#communication-security', '2026-07-28'),
        ...mcp('basic/authorization#security-considerations', '2025-03-26'),
      ],
      says: 'The authorization endpoints are served over https; plain http is accepted on loopback hosts alone.',
      tests: [
        'test/security/entrance.test.ts > the host and origin checks under %s > answer a request to %s from origin %j with %i > http://evil.example:8787/mcp',
        'test/attacks/auth/common-checks.test.ts > a host that is not served > is rejected with 403 at %s',
      ],
    },
    {
      id: 'https-redirect-uris',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#communication-security', '2025-06-18', '2025-11-25'),
        ...mcp('basic/authorization/security-considerations#communication-security', '2026-07-28'),
        ...mcp('basic/authorization#security-considerations', '2025-03-26'),
      ],
      says: 'Redirect URIs are loopback URLs or use https.',
      deviation:
        'Private-use schemes of native apps are accepted as well, because RFC 8252 section 7.1 requires it and known clients register them; the author can empty the list of schemes.',
      tests: [
        'test/auth/clients/redirect-uri.test.ts > parseRedirectUri rejects > %j > http://a.example/cb',
        'test/attacks/auth/registration.test.ts > /register rejects > %s',
      ],
    },
    {
      id: 'redirect-uris-are-validated',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#security-considerations', '2025-03-26'),
        ...mcp('basic/authorization#open-redirection', '2025-06-18', '2025-11-25'),
        ...mcp('basic/authorization/security-considerations#open-redirection', '2026-07-28'),
      ],
      says: 'The authorization server compares a redirect URI exactly with the registered ones.',
      tests: [
        'test/attacks/auth/authorize.test.ts > /authorize shows an error page without a redirect for > $title',
        'test/auth/clients/redirect-uri.test.ts > matchRedirectUri > with the registered %s rejects %s',
        'test/property/redirects.test.ts > matchRedirectUri > accepts no URI that differs from the registered one in a single character',
      ],
    },
    {
      id: 'untrusted-redirects',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#open-redirection', '2025-06-18', '2025-11-25'),
        ...mcp('basic/authorization/security-considerations#open-redirection', '2026-07-28'),
      ],
      says: 'The authorization server takes precautions against redirects to untrusted URIs.',
      tests: [
        'test/auth/server/authorize-request.test.ts > an error of an authorization request > is shown with a link to the web site of a client with a metadata document',
        'test/attacks/auth/authorize.test.ts > /authorize shows a page with a link that returns the error and iss for > $title',
        'test/auth/server/authorize-request.test.ts > an error of an authorization request > is redirected to the program at %s, which waits for it',
      ],
    },
    {
      id: 'registered-redirect-uris',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#open-redirection', '2025-06-18', '2025-11-25'),
        ...mcp('basic/authorization/security-considerations#open-redirection', '2026-07-28'),
      ],
      says: 'The client registers its redirect URIs with the authorization server.',
      concerns: 'client',
      tests: [
        'test/auth/clients/client-metadata.test.ts > a registration is rejected > that has %s',
        'test/attacks/auth/authorize.test.ts > /authorize shows an error page without a redirect for > $title',
      ],
    },
    {
      id: 'client-pkce',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#authorization-code-protection', '2025-06-18', '2025-11-25'),
        ...mcp(
          'basic/authorization/security-considerations#authorization-code-protection',
          '2026-07-28',
        ),
      ],
      says: 'The client uses PKCE, with S256 where it can.',
      concerns: 'client',
      tests: [
        'test/auth/server/pkce.test.ts > the authorization endpoint > rejects a request %s with invalid_request',
      ],
    },
    {
      id: 'client-checks-pkce',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#authorization-code-protection', '2025-11-25'),
        ...mcp(
          'basic/authorization/security-considerations#authorization-code-protection',
          '2026-07-28',
        ),
      ],
      says: 'The client proceeds only when the metadata names code_challenge_methods_supported.',
      concerns: 'client',
    },
    {
      id: 'openid-metadata-names-pkce',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#authorization-code-protection', '2025-11-25'),
        ...mcp(
          'basic/authorization/security-considerations#authorization-code-protection',
          '2026-07-28',
        ),
      ],
      says: 'The OpenID metadata of the authorization server has code_challenge_methods_supported.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
        'test/clients/auth/first-try.test.ts > the metadata of the authorization server > is the same at its OpenID address',
      ],
    },
    {
      id: 'client-document-security',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#client-id-metadata-document-security', '2025-11-25'),
        ...mcp(
          'basic/authorization/security-considerations#client-id-metadata-document-security',
          '2026-07-28',
        ),
      ],
      says: 'The authorization server considers the security of client ID metadata documents: it fetches public https URLs alone, bounded, and without redirects.',
      tests: [
        'test/attacks/auth/client-documents.test.ts > /authorize rejects the client id and fetches nothing from > %s',
        'test/attacks/auth/client-documents.test.ts > /authorize shows an error page for a client document that > %s',
        'test/auth/fetch/guarded-fetch.test.ts > createGuardedFetch > refuses %s without a request',
        'test/auth/fetch/host-limits.test.ts > requests to one host > are at most 100 in a minute, on all paths together',
      ],
    },
    {
      id: 'redirect-host-is-displayed',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#localhost-redirect-uri-risks', '2025-11-25'),
        ...mcp(
          'basic/authorization/security-considerations#localhost-redirect-uri-risks',
          '2026-07-28',
        ),
      ],
      says: 'The consent page shows the host of the redirect URI.',
      tests: [
        'test/auth/pages/consent-page.test.ts > the consent page > shows where the answer is sent and which resource the app connects to',
        'test/auth/server/consent.test.ts > the consent page > shows the host of the redirect URI for a client without a name',
        'test/clients/auth/client-documents.test.ts > the consent page shows the host of the document and the redirect target',
      ],
    },
    {
      id: 'consent-before-third-party',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#confused-deputy-problem', '2025-06-18', '2025-11-25'),
        ...mcp('basic/authorization/security-considerations#confused-deputy-problem', '2026-07-28'),
      ],
      says: 'A server with a static client id at another provider obtains consent for each registered client before it sends the browser there.',
      tests: [
        'test/attacks/auth/upstream.test.ts > /authorize does not redirect to the provider before the consent',
        'test/auth/server/consent.test.ts > a consent given after a direct navigation (Sec-Fetch-Site: none) > is asked for again where people sign in elsewhere',
      ],
    },
    {
      id: 'no-data-without-token',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/authorization#access-token-privilege-restriction',
          '2025-06-18',
          '2025-11-25',
        ),
        ...mcp(
          'basic/authorization/security-considerations#access-token-privilege-restriction',
          '2026-07-28',
        ),
      ],
      says: 'The server returns no data to a party without a valid token.',
      tests: [
        'test/attacks/auth/bearer.test.ts > %s answers 401 or 404 to every method without a token',
        'test/clients/auth/principals.test.ts > a session of %s > is unknown to another person and requires a token',
        'test/clients/auth/resource-updates.test.ts > subscribers of two people receive updates of their own resources only',
        'test/attacks/auth/revoked-streams.test.ts > open streams and calls end without a result within a minute after their grant is revoked',
      ],
    },
    {
      id: 'secure-considerations-of-pages',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization/security-considerations', '2026-07-28'),
        ...mcp('basic/authorization#security-considerations', '2026-07-28'),
        ...mcp('basic/authorization#authorization-server-discovery', '2026-07-28'),
      ],
      says: 'The implementation follows the security and discovery pages of this revision, whose clauses are listed here and in authorization-discovery.',
      tests: [
        'test/conformance/authorization.test.ts > the authorization scenarios of %s > include %s, which passes',
        'test/clients/auth/sign-in.test.ts > %s > discovers, registers, is authorized, obtains tokens and calls',
      ],
    },
  ],
}
