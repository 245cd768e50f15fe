/** Requests that are refused although they carry the token, and the reason if the token shows it. */
import { type Detected, describeRpc, detected } from '../detected.ts'
import type { RpcReply } from '../mcp/rpc.ts'
import type { Observations } from '../observations.ts'
import { statusOf } from '../probes/reach.ts'
import { isObject, parseJson, quoted } from '../text.ts'

/** Undefined unless the answer is 401 or 403, or 431 for a long token. */
export function authorizationFault(
  reply: RpcReply,
  request: string,
  observed: Observations,
): Detected | undefined {
  const status = statusOf(reply)
  if (status !== 401 && status !== 403 && status !== 431) return undefined
  const answer = `${request} is answered with ${describeRpc(reply)}`
  if (status === 431) {
    const length = observed.token?.length ?? 0
    const text = `${answer}; the token has ${length} characters`
    return observed.token === undefined ? undefined : detected('token-refused', text)
  }
  if (observed.token === undefined) return detected('unauthenticated-not-401', answer)
  if (status === 403) return detected('scope-insufficient', answer)
  return audienceFault(observed.token, observed.pasted) ?? detected('token-refused', answer)
}

/** A signed access token names its audience (RFC 9068 §2.2). The signature is of no interest here. */
function audienceFault(token: string, pasted: URL): Detected | undefined {
  const [, payload] = token.split('.')
  if (payload === undefined) return undefined
  const claims = parseJson(Buffer.from(payload, 'base64url').toString())
  if (!isObject(claims)) return undefined
  const audiences = [claims.aud].flat()
  const isFor = audiences.some((audience) => withoutSlash(audience) === withoutSlash(pasted.href))
  if (isFor) return undefined
  return detected(
    'token-audience-mismatch',
    `The token has the audience ${quoted(claims.aud)}, the pasted URL is ${quoted(pasted.href)}, and the endpoint answers with 401`,
  )
}

const withoutSlash = (value: unknown) => String(value).replace(/\/$/, '')
