/** Authorization that trusts every token: `Bearer alice read` is the subject `alice` with the scope `read`. */
import type { AuthConfig } from '../../src/auth/index.ts'

/**
 * @param revoked subjects whose runs do not resume; add to it at any time
 * @param unknown subjects whose access cannot be determined; add to it at any time
 * @param unscoped subjects whose runs resume without scopes; add to it at any time
 */
export function trusting(
  origin: string,
  revoked: ReadonlySet<string> = new Set(),
  unknown: ReadonlySet<string> = new Set(),
  unscoped: ReadonlySet<string> = new Set(),
): AuthConfig {
  return {
    type: 'external',
    createGate: () => ({
      authenticate: async (request, _, path) => {
        const [subject = 'nobody', ...scopes] = (request.headers.get('authorization') ?? '')
          .replace('Bearer ', '')
          .split(' ')
        const resource = `${origin}${path}`
        const auth = { subject, clientId: 'client', scopes, issuer: origin, resource }
        return { auth, grant: undefined }
      },
      challenge: () => 'Bearer',
      isStillAuthorized: async () => true,
      renewCaller: async ({ auth }) => {
        if (unknown.has(auth.subject)) throw new Error('The access cannot be determined now')
        if (unscoped.has(auth.subject)) return { ...auth, scopes: [] }
        return revoked.has(auth.subject) ? undefined : auth
      },
      paths: [],
      route: () => undefined,
    }),
  }
}
