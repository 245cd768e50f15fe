/** Authorization: people sign in with Google. */
import { embedded, google } from 'edgeway/auth'

export const auth = embedded({
  scopes: { use: 'Use the tools of edgeway-starter' },
  login: google({
    clientId: { secret: 'GOOGLE_CLIENT_ID' },
    clientSecret: { secret: 'GOOGLE_CLIENT_SECRET' },
  }),
  // Without `allow`, every Google account may sign in. Accounts of a domain alone:
  // allow: { emailDomains: ['example.com'] },
})
