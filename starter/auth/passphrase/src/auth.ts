/** Authorization: people sign in with the passphrase in the secret EDGEWAY_PASSPHRASE. */
import { embedded, passphrase } from 'edgeway/auth'

export const auth = embedded({
  scopes: { use: 'Use the tools of edgeway-starter' },
  login: passphrase(),
})
