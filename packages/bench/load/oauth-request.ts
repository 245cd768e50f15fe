/** The requests of the benchmark to an authorization server. */
import type { LoadRequest } from './request.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** Credentials of the configured client: `bench:bench-secret`. */
const BASIC = 'Basic YmVuY2g6YmVuY2gtc2VjcmV0'

/** The client credentials grant. */
export const clientCredentials: LoadRequest = {
  path: '/token',
  headers: { ...FORM, authorization: BASIC },
  body: 'grant_type=client_credentials&scope=read',
}

/** The refresh token grant. */
export function refresh(clientId: string, refreshToken: string): LoadRequest {
  const fields = { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken }
  return { path: '/token', headers: FORM, body: new URLSearchParams(fields).toString() }
}

export const REDIRECT_URIS = ['https://client.example/callback']

/** Dynamic registration of a public client. */
export const register: LoadRequest = {
  path: '/register',
  status: 201,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    client_name: 'bench',
    redirect_uris: REDIRECT_URIS,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }),
}
