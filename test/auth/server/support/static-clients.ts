/** A client of the author's configuration that authenticates with a secret. */
import type { EmbeddedOptions } from '../../../../src/auth/index.ts'
import { REDIRECT_URI } from './client.ts'

type StaticClient = NonNullable<EmbeddedOptions['clients']>[number]

export const SECRET = 's3cret-of-the-machine'
/** SHA-256 of the secret, in base64url. */
export const SECRET_HASH = 'msTzfHUyCGkVaFc_hHtipuIE5MzkC1K4rHb_P7F0Ohg'

export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** May use every grant. */
export const MACHINE: StaticClient = {
  id: 'machine',
  name: 'A machine',
  secretHash: SECRET_HASH,
  redirectUris: [REDIRECT_URI],
  grantTypes: ['authorization_code', 'refresh_token', 'client_credentials', JWT_BEARER],
}

export const basic = (id: string, secret: string = SECRET) => ({
  authorization: `Basic ${btoa(`${id}:${secret}`)}`,
})
