import type { RequirementDocument } from './requirement.ts'

const PAGE = 'https://www.rfc-editor.org/rfc/rfc9207'

export const issuerIdentification: RequirementDocument = {
  title: 'Authorization server issuer identification (RFC 9207)',
  pages: [PAGE],
  requirements: [
    {
      id: 'iss',
      level: 'MUST',
      clauses: [`${PAGE}#section-2`],
      says: 'Every authorization response has iss, errors too.',
      tests: [
        'test/clients/auth/first-try.test.ts > the consent page > returns the issuer with the decision %s',
        'test/clients/auth/first-try.test.ts > the consent page > returns the issuer with an error of the request',
        'test/auth/server/decision.test.ts > an approval > redirects to the client with a code and signs the browser in for 12 hours',
        'test/auth/server/decision.test.ts > a denial > redirects to the client with access_denied and signs no person in',
        'test/auth/server/authorize-request.test.ts > the authorization endpoint > refuses a request %s with the error',
      ],
    },
    {
      id: 'iss-value',
      level: 'MUST',
      clauses: [`${PAGE}#section-2`],
      says: 'The value of iss is the issuer: an https URL without query and fragment.',
      deviation: 'On a loopback host, plain http is served for development.',
      tests: [
        'test/auth/server/decision.test.ts > an approval > redirects to the client with a code and signs the browser in for 12 hours',
        'test/auth/server/decision.test.ts > a denial > redirects to the client with access_denied and signs no person in',
      ],
    },
    {
      id: 'issuer-is-provided',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.3`],
      says: 'The server publishes its issuer.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
      ],
    },
    {
      id: 'same-issuer',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.3`],
      says: 'The issuer in the metadata is identical to iss.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
        'test/auth/server/decision.test.ts > an approval > redirects to the client with a code and signs the browser in for 12 hours',
      ],
    },
    {
      id: 'support-is-advertised',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.3`],
      says: 'The metadata has authorization_response_iss_parameter_supported.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
      ],
    },
    {
      id: 'clients-compare-iss',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.4`, `${PAGE}#section-4`],
      says: 'The client compares iss with the issuer that it has sent the person to, and rejects another one; the upstream sign-in does so.',
      concerns: 'client',
      tests: [
        'test/auth/login/hostile-upstream.test.ts > the callback of an OpenID login > rejects a response %s',
        'test/auth/login/hostile-upstream.test.ts > the callback of an OpenID login > checks the issuer before the error',
        'test/auth/login/hostile-upstream.test.ts > the callback of an OpenID login > rejects a response without iss when the metadata promises it',
      ],
    },
    {
      id: 'clients-stop-on-mismatch',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-2.4`],
      says: 'The client goes no further with a response of another issuer.',
      concerns: 'client',
      tests: [
        'test/auth/login/hostile-upstream.test.ts > the callback of an OpenID login > rejects a response %s',
        'test/attacks/auth/upstream.test.ts > /authorize/callback redirects access_denied to the client when > %s',
      ],
    },
    {
      id: 'id-token-issuer',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.4`],
      says: 'In a response with an ID token, both name the same issuer; this server issues no ID tokens.',
      concerns: 'client',
    },
    {
      id: 'unique-issuers',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-4`],
      says: 'A client does not accept one issuer for two servers.',
      concerns: 'client',
      tests: [
        'test/auth/server/assertion.test.ts > the subject of an assertion > cannot be ambiguous: a provider that is configured twice is a fault of the configuration',
        'test/auth/resource/metadata.test.ts > ResourceServer > rejects an empty list of issuers and an issuer that occurs twice',
      ],
    },
  ],
}
