/** Authorization: people sign in with an OpenID provider. */
import { embedded, oidc } from 'edgeway/auth'

export const auth = embedded({
  scopes: { use: 'Use the tools of edgeway-starter' },
  login: oidc({
    // Replace it with the issuer of your provider, exactly as the provider writes it.
    issuer: 'https://login.example.com',
    clientId: { secret: 'OIDC_CLIENT_ID' },
    clientSecret: { secret: 'OIDC_CLIENT_SECRET' },
  }),
  // Without `allow`, every account of the provider may sign in. Members of a group alone:
  // allow: { groups: ['mcp-users'] },
})
