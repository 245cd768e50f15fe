import type { RequirementDocument } from './requirement.ts'

const PAGE =
  'https://github.com/modelcontextprotocol/ext-auth/blob/main/specification/draft/oauth-client-credentials.mdx'

export const clientCredentials: RequirementDocument = {
  title: 'OAuth client credentials (extension)',
  pages: [PAGE],
  requirements: [
    {
      id: 'conformance',
      level: 'MUST',
      clauses: [`${PAGE}#extension-requirements`],
      says: 'An implementation conforms to the extension and to the authorization specification.',
      tests: [
        'test/auth/server/grants/client-credentials.test.ts > client credentials > give an access token of one hour and no refresh token',
        'test/conformance/authorization.test.ts > the authorization scenarios of %s > include %s, which passes',
      ],
    },
    {
      id: 'client-authentication',
      level: 'MUST',
      clauses: [`${PAGE}#client-authentication-methods`],
      says: 'The client authenticates with a signed assertion or with a secret.',
      tests: [
        'test/auth/clients/client-assertion.test.ts > authentication with private_key_jwt > accepts an assertion that is signed with %s',
        'test/auth/server/token.test.ts > the endpoint %s > accepts a client secret %s',
        'test/auth/server/grants/client-credentials.test.ts > client credentials > are rejected with invalid_client when the secret is wrong',
        'test/auth/clients/static-clients.test.ts > createStaticClients > throws for a client with %s',
      ],
    },
    {
      id: 'metadata',
      level: 'MUST',
      clauses: [`${PAGE}#server-metadata-requirements`],
      says: 'The metadata lists the methods private_key_jwt or client_secret_basic, and the signature algorithms.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
      ],
    },
    {
      id: 'security',
      level: 'MUST',
      clauses: [`${PAGE}#security-considerations`],
      says: 'An implementation follows the security practices of OAuth 2.1, for credentials above all.',
      tests: [
        'test/auth/server/wrong-secrets.test.ts > a wrong client secret > is rejected with 401 ten times, and then with 429 and Retry-After',
        'test/auth/clients/registered-client.test.ts > registration > gives a client with %s a secret, which is not stored',
        'test/attacks/auth/deployment.test.ts > the client credentials grant of /token > rejects a client without this grant type or with an empty secret',
        'test/attacks/auth/tokens.test.ts > /token rejects the grant type %s for a self-registered client',
      ],
    },
  ],
}
