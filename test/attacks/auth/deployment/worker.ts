/** A deployment with what the fixture server has not: clients of its own, a trusted provider, a plain-http name. */
import { createHash } from 'node:crypto'
import { createEdgeway, embedded, McpServer } from '../../../../src/index.ts'

const server = new McpServer({ name: 'deployment', version: '1.0.0' })

const edgeway = createEdgeway(server, {
  otherPaths: ['/other'],
  allowedHosts: ['box.lan'],
  auth: embedded({
    scopes: { read: 'Read what is there', write: 'Change what is there' },
    trustedProviders: [{ issuer: 'https://idp.example', jwksUri: 'https://idp.example/jwks' }],
    clients: [
      {
        id: 'service',
        secretHash: createHash('sha256').update('service-secret').digest('base64url'),
        grantTypes: ['client_credentials'],
        scopes: ['read'],
      },
      {
        id: 'enterprise',
        secretHash: createHash('sha256').update('enterprise-secret').digest('base64url'),
        grantTypes: ['urn:ietf:params:oauth:grant-type:jwt-bearer'],
      },
    ],
  }),
})

export default edgeway
export const { McpHub, McpKeyring, McpSession, McpAccount } = edgeway.objects
