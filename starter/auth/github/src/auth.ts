/** Authorization: people sign in with GitHub. */
import { embedded, github } from 'edgeway/auth'

export const auth = embedded({
  scopes: { use: 'Use the tools of edgeway-starter' },
  login: github({
    clientId: { secret: 'GITHUB_CLIENT_ID' },
    clientSecret: { secret: 'GITHUB_CLIENT_SECRET' },
  }),
  // Without `allow`, every GitHub account may sign in. Members of an organization alone:
  // allow: { organizations: ['your-organization'] },
})
