/** Obtains tokens as every client does: registration, the consent page, an authorization code. */
import { authorize } from '../../../scripts/support/authorize.ts'

export interface Tokens {
  readonly clientId: string
  readonly accessToken: string
  readonly refreshToken: string
}

/** @throws {Error} when the server issues no token */
export async function obtainTokens(origin: string): Promise<Tokens> {
  let clientId = ''
  let refreshToken = ''
  const accessToken = await authorize({
    origin,
    fetch: async (request) => {
      if (new URL(request.url).pathname !== '/token') return fetch(request)
      clientId = new URLSearchParams(await request.clone().text()).get('client_id') ?? ''
      const response = await fetch(request)
      const { refresh_token } = (await response.clone().json()) as { refresh_token?: string }
      refreshToken = refresh_token ?? ''
      return response
    },
  })
  if (clientId === '' || refreshToken === '') throw new Error('The server issued no refresh token')
  return { clientId, accessToken, refreshToken }
}
