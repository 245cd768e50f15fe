/** A deployment with a configured client, a trusted provider and a host name over plain http. */

import { assertions, dpop, embedded, privateKeyJwt } from '../../../../src/auth/index.ts'
import { McpServer } from '../../../../src/index.ts'
import { createFullEdgeway } from '../../../support/full-app.ts'

const server = new McpServer({ name: 'deployment', version: '1.0.0' })

const edgeway = createFullEdgeway(server, {
  otherPaths: ['/other'],
  allowedHosts: ['box.lan'],
  auth: embedded({
    scopes: { read: 'Read data', write: 'Change data' },
    features: [
      dpop(),
      privateKeyJwt(),
      assertions({
        trustedProviders: [{ issuer: 'https://idp.example', jwksUri: 'https://idp.example/jwks' }],
      }),
    ],
    clients: [
      {
        id: 'enterprise',
        // SHA-256 of "enterprise-secret".
        secretHash: 'GNvt43Jzx9YjEaDCK0xAtJ0qKpjHFui_uEAmAjVpBIk',
        grantTypes: ['urn:ietf:params:oauth:grant-type:jwt-bearer'],
      },
    ],
  }),
})

export default edgeway
export class McpObjects extends edgeway.Objects {}
