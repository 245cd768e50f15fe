import type { RequirementDocument } from './requirement.ts'

const PAGE = 'https://www.rfc-editor.org/rfc/rfc8252'

export const nativeApps: RequirementDocument = {
  title: 'OAuth for native apps (RFC 8252)',
  pages: [PAGE],
  requirements: [
    {
      id: 'external-user-agents',
      level: 'MUST',
      clauses: [`${PAGE}#section-4`, `${PAGE}#section-8.12`],
      says: 'A native app uses the browser of the person, and no embedded view.',
      concerns: 'client',
    },
    {
      id: 'pkce',
      level: 'MUST',
      clauses: [`${PAGE}#section-6`, `${PAGE}#section-8.1`],
      says: 'The authorization server supports PKCE for native apps, which use it.',
      tests: [
        'test/auth/server/pkce.test.ts > the authorization endpoint > accepts an S256 code challenge',
        'test/auth/server/pkce.test.ts > the authorization endpoint > rejects a request %s with invalid_request',
      ],
    },
    {
      id: 'redirect-options',
      level: 'MUST',
      clauses: [`${PAGE}#section-7`],
      says: 'The authorization server offers private-use schemes, https URIs and loopback redirects.',
      tests: [
        'test/auth/clients/redirect-uri.test.ts > parseRedirectUri accepts > %s as %s',
        'test/auth/clients/redirect-policy.test.ts > createRedirectPolicy by default > accepts %s',
        'test/attacks/auth/authorize.test.ts > /authorize redirects an error to the program at %s',
      ],
    },
    {
      id: 'scheme-of-an-app',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.1`],
      says: 'An app uses a private-use scheme based on a domain name of its own.',
      concerns: 'client',
    },
    {
      id: 'loopback-ports',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.3`],
      says: 'The authorization server allows any port in a loopback redirect URI.',
      tests: [
        'test/auth/server/authorize.test.ts > an authorization request > may name any port of a loopback redirect URI',
        'test/auth/clients/redirect-uri.test.ts > matchRedirectUri > with the registered %s accepts %s',
        'test/auth/clients/redirect-uri.test.ts > redirect URIs in general > that match differ from a registered one only in a loopback port',
      ],
    },
    {
      id: 'client-type-is-recorded',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.2`, `${PAGE}#section-8.4`],
      says: 'The authorization server records the type of a client.',
      tests: [
        'test/auth/clients/registered-client.test.ts > registration > gives a public client an id that contains its metadata',
        'test/auth/server/register.test.ts > the registration endpoint > registers a public client',
      ],
    },
    {
      id: 'complete-redirect-uris',
      level: 'MUST',
      clauses: [`${PAGE}#section-8.4`],
      says: 'The authorization server requires complete redirect URIs, and compares them exactly except for the port of a loopback host.',
      tests: [
        'test/attacks/auth/authorize.test.ts > /authorize shows an error page without a redirect for > $title',
        'test/auth/clients/redirect-uri.test.ts > matchRedirectUri > with the registered %s rejects %s',
        'test/property/redirects.test.ts > matchRedirectUri > accepts a URI exactly when a registered one has the same parts, except for the port of a loopback host',
      ],
    },
    {
      id: 'static-secrets',
      level: 'MUST',
      clauses: [`${PAGE}#section-8.5`],
      says: 'A secret that is included in an app does not authenticate it.',
      concerns: 'author',
    },
    {
      id: 'several-authorization-servers',
      level: 'MUST',
      clauses: [`${PAGE}#section-8.10`],
      says: 'An app of several authorization servers tells their responses apart.',
      concerns: 'client',
    },
  ],
}
