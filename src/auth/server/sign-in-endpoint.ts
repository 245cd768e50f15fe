/** Paths of the endpoints by which a client gets its access. Clients of 2025-03-26 without metadata assume these. */
export const SIGN_IN_ENDPOINT = {
  authorize: '/authorize',
  consent: '/authorize/decision',
  callback: '/authorize/callback',
  token: '/token',
  register: '/register',
  revoke: '/revoke',
  jwks: '/.well-known/jwks.json',
} as const
