/** Initial access tokens and software statements are not offered; registrations are open. */
import type { RequirementDocument } from './requirement.ts'

const PAGE = 'https://www.rfc-editor.org/rfc/rfc7591'

export const dynamicClientRegistration: RequirementDocument = {
  title: 'Dynamic client registration (RFC 7591)',
  pages: [PAGE],
  requirements: [
    {
      id: 'redirect-uris-are-registered',
      level: 'MUST',
      clauses: [`${PAGE}#section-2`, `${PAGE}#section-5`],
      says: 'A client that is redirected to registers its redirect URIs, and the server requires them.',
      tests: [
        'test/auth/clients/client-metadata.test.ts > a registration is rejected > that has %s',
        'test/auth/server/register.test.ts > the registration endpoint > rejects metadata with %s',
        'test/attacks/auth/registration.test.ts > /register rejects > %s',
      ],
    },
    {
      id: 'unknown-metadata',
      level: 'MUST',
      clauses: [`${PAGE}#section-2`],
      says: 'The server ignores metadata that it does not understand.',
      tests: [
        'test/auth/clients/client-metadata.test.ts > client metadata > is returned as accepted, without unknown members',
        'test/auth/clients/client-metadata.test.ts > client metadata > keeps a known application type and drops others',
      ],
    },
    {
      id: 'keys-once',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-2`],
      says: 'A registration has jwks or jwks_uri, not both.',
      concerns: 'client',
      tests: [
        'test/auth/clients/client-metadata.test.ts > a registration is rejected > that has %s',
      ],
    },
    {
      id: 'jwks-uri',
      level: 'MUST',
      clauses: [`${PAGE}#section-2`],
      says: 'The server fetches jwks_uri over https alone.',
      tests: [
        'test/auth/clients/client-metadata.test.ts > a registration is rejected > that has %s',
        'test/auth/fetch/guarded-fetch.test.ts > createGuardedFetch > refuses %s without a request',
      ],
    },
    {
      id: 'extension-grants',
      level: 'MUST',
      clauses: [`${PAGE}#section-2`],
      says: 'Extension grants and methods are registered or absolute URIs; others are dropped or refused.',
      tests: [
        'test/auth/clients/client-metadata.test.ts > client metadata > with the grant types %j gets %j',
        'test/auth/clients/client-metadata.test.ts > a registration is rejected > that has %s',
      ],
    },
    {
      id: 'consistent-types',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.1`],
      says: 'The grant types and response types of a client fit together.',
      tests: [
        'test/auth/clients/client-metadata.test.ts > a registration is rejected > that has %s',
        'test/auth/server/register.test.ts > the registration endpoint > registers a client with keys for assertions alone',
      ],
    },
    {
      id: 'internationalised-members',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.2`],
      says: 'A member with a language tag is treated as what it is: the server keeps the members without a tag, and displays the name as sent.',
      tests: [
        'test/auth/clients/client-metadata.test.ts > client metadata > is returned as accepted, without unknown members',
        'test/auth/clients/display-name.test.ts > displayName returns > for %j the name %j',
      ],
    },
    {
      id: 'software-statements',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.3`, `${PAGE}#section-3.1.1`],
      says: 'A software statement is signed, names its issuer, and takes precedence where the server trusts it; this server supports none and ignores the member.',
      tests: [
        'test/auth/clients/client-metadata.test.ts > client metadata > is returned as accepted, without unknown members',
      ],
    },
    {
      id: 'tls',
      level: 'MUST',
      clauses: [`${PAGE}#section-3`, `${PAGE}#section-5`],
      says: 'The registration endpoint requires TLS; plain http is served on loopback hosts alone.',
      tests: [
        'test/security/entrance.test.ts > the host and origin checks under %s > answer a request to %s from origin %j with %i > http://evil.example:8787/mcp',
        'test/attacks/auth/common-checks.test.ts > a host that is not served > is rejected with 403 at %s',
      ],
    },
    {
      id: 'post-of-json',
      level: 'MUST',
      clauses: [`${PAGE}#section-3`],
      says: 'The registration endpoint accepts a POST of application/json.',
      tests: [
        'test/auth/clients/read-registration.test.ts > readRegistration > accepts a body of type %s',
        'test/auth/clients/read-registration.test.ts > readRegistration > rejects a body that is %s',
        'test/auth/server/routes.test.ts > an endpoint for programs > %s rejects %s with 405 and allows %s',
        'test/attacks/auth/registration.test.ts > /register rejects > a form instead of JSON',
      ],
    },
    {
      id: 'unique-client-ids',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2.1`],
      says: 'The server issues a client id that no other client has.',
      tests: [
        'test/auth/server/register.test.ts > the registration endpoint > gives each registration an id of its own',
        'test/auth/clients/registered-client.test.ts > registration > gives different ids to concurrent requests',
      ],
    },
    {
      id: 'client-id',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2.1`],
      says: 'The response has a client_id.',
      tests: [
        'test/auth/server/register.test.ts > the registration endpoint > registers a public client',
        'test/auth/server/register.test.ts > the registration endpoint > registers a client with a secret by default, and returns the secret',
      ],
    },
    {
      id: 'secret-expiry',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2.1`],
      says: 'A response with a secret has client_secret_expires_at.',
      tests: [
        'test/auth/server/register.test.ts > the registration endpoint > registers a client with a secret by default, and returns the secret',
      ],
    },
    {
      id: 'registered-metadata',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2.1`],
      says: 'The response has all metadata that was registered, also what the server has set.',
      tests: [
        'test/auth/server/register.test.ts > the registration endpoint > registers a public client',
        'test/auth/server/register.test.ts > the registration endpoint > registers a client with a secret by default, and returns the secret',
        'test/auth/clients/client-metadata.test.ts > client metadata > is returned as accepted, without unknown members',
        'test/auth/clients/client-metadata.test.ts > client metadata > with the grant types %j gets %j',
      ],
    },
    {
      id: 'software-statement-is-returned',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2.1`],
      says: 'A software statement that was used is returned unchanged; this server uses none and returns none.',
      tests: [
        'test/auth/clients/client-metadata.test.ts > client metadata > is returned as accepted, without unknown members',
      ],
    },
    {
      id: 'created',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2.1`],
      says: 'A successful response has the status 201 and is JSON that no cache keeps.',
      tests: [
        'test/auth/server/register.test.ts > the registration endpoint > registers a public client',
        'test/auth/server/register.test.ts > the registration endpoint > registers a client with a secret by default, and returns the secret',
      ],
    },
    {
      id: 'registration-errors',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2.2`],
      says: 'A refused registration is answered with 400 and one of the defined error codes.',
      tests: [
        'test/auth/server/register.test.ts > the registration endpoint > rejects metadata with %s',
        'test/auth/server/register.test.ts > the registration endpoint > rejects a body %s with invalid_client_metadata',
        'test/auth/clients/client-metadata.test.ts > a registration is rejected > that has %s',
      ],
    },
    {
      id: 'secrets-of-public-clients',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-5`],
      says: 'A client that is not confidential does not use a secret that several instances share; each registration has its own.',
      tests: [
        'test/auth/server/register.test.ts > the registration endpoint > gives each registration an id of its own',
        'test/auth/clients/registered-client.test.ts > registration > gives a client with %s a secret, which is not stored',
      ],
    },
    {
      id: 'redirect-uris-are-checked',
      level: 'MUST',
      clauses: [`${PAGE}#section-5`],
      says: 'The server accepts redirect URIs of clients over https, on loopback hosts, or with a private-use scheme alone.',
      tests: [
        'test/auth/clients/redirect-uri.test.ts > parseRedirectUri rejects > %j > http://a.example/cb',
        'test/auth/clients/redirect-uri.test.ts > parseRedirectUri rejects > %j > javascript:alert(1)',
        'test/attacks/auth/registration.test.ts > /register rejects > %s',
        'test/auth/clients/redirect-policy.test.ts > createRedirectPolicy by default > rejects %s',
      ],
    },
    {
      id: 'metadata-is-unverified',
      level: 'MUST',
      clauses: [`${PAGE}#section-5`],
      says: 'The server treats what a client says about itself as unverified, and does not fetch its logo.',
      tests: [
        'test/auth/pages/consent-page.test.ts > the consent page > marks an app without a verified host as unverified',
        'test/auth/clients/client-metadata.test.ts > client metadata > with the home page and logo %j keeps %j',
        'test/clients/auth/client-documents.test.ts > the consent page marks a registered app as unverified',
      ],
    },
  ],
}
