/** Checks of an authorization response and of an issued token. */
import { answer, type Check, on, quoted } from './answer.ts'

/** Claude often does not refresh, so a token lives as long as people work. */
export const DAY_SECONDS = 86_400

export const RESPONSE_CHECKS = {
  'iss-missing': on('response', ({ iss }, { server }) =>
    server?.issInResponse === false
      ? undefined
      : answer(iss !== undefined, `The authorization response had iss ${quoted(iss)}`),
  ),
  'iss-mismatch': on('response', ({ iss, issuer }) =>
    issuer === undefined || iss === undefined
      ? undefined
      : answer(iss === issuer, `iss was ${quoted(iss)}, and the issuer is ${quoted(issuer)}`),
  ),
} satisfies Readonly<Record<string, Check>>

export const TOKEN_CHECKS = {
  'token-response-invalid': on('issued', ({ isDocument, hasToken, tokenType, type }) =>
    answer(
      isDocument === true && hasToken === true && isBearer(tokenType),
      `The response was ${quoted(type)} with ${hasToken ? 'an' : 'no usable'} access_token and token_type ${quoted(tokenType)}`,
    ),
  ),
  'token-expiry-invalid': on('issued', ({ expires }) =>
    expires === undefined
      ? undefined
      : answer(typeof expires === 'number' && expires > 0, `expires_in was ${quoted(expires)}`),
  ),
  'token-without-expiry': on('issued', ({ expires }) =>
    answer(expires !== undefined, `expires_in was ${quoted(expires)}`),
  ),
  'token-short-lived': on('issued', ({ expires }) =>
    typeof expires === 'number' && expires > 0
      ? answer(expires >= DAY_SECONDS, `expires_in was ${expires} seconds`)
      : undefined,
  ),
  'token-without-refresh': on('issued', ({ expires, hasRefreshToken }) =>
    expires === undefined
      ? undefined
      : answer(
          hasRefreshToken === true,
          `The response had ${hasRefreshToken ? 'a' : 'no'} refresh_token`,
        ),
  ),
} satisfies Readonly<Record<string, Check>>

const isBearer = (type: unknown) => typeof type === 'string' && type.toLowerCase() === 'bearer'
