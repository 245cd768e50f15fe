/** Requests that are refused although they carry the token, and the reason if the token shows it. */
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { parseJson } from '../../../../text/src/json/json-text.ts'
import { quoted, textOf } from '../../../../text/src/quoted.ts'
import { answered, type Detected, detected } from '../detected.ts'
import type { RpcReply } from '../mcp/rpc.ts'
import type { Observations } from '../observations.ts'
import { statusOf } from '../probes/reach.ts'

/** Undefined unless the answer is 403, or with a token 401, or 431 for a long token. */
export function authorizationFault(
  reply: RpcReply,
  request: string,
  observed: Observations,
): Detected | undefined {
  const status = statusOf(reply)
  if (status !== 401 && status !== 403 && status !== 431) return undefined
  const { token, pasted } = observed
  const refused = (code: Detected['code']) => answered(code, request, reply)
  if (token === undefined) return status === 403 ? refused('unauthenticated-not-401') : undefined
  if (status === 431) {
    const { code, message } = refused('token-refused')
    return detected(code, `${message}; the token has ${token.length} characters`)
  }
  if (status === 403) return refused('scope-insufficient')
  return audienceFault(token, pasted) ?? refused('token-refused')
}

/** A signed access token names its audience (RFC 9068 §2.2). The signature is of no interest here. */
function audienceFault(token: string, pasted: URL): Detected | undefined {
  const [, payload] = token.split('.')
  if (payload === undefined) return undefined
  const claims = parseJson(Buffer.from(payload, 'base64url').toString())
  if (!isJsonObject(claims)) return undefined
  const audiences = [claims.aud].flat()
  const isFor = audiences.some((audience) => withoutSlash(audience) === withoutSlash(pasted.href))
  if (isFor) return undefined
  return detected(
    'token-audience-mismatch',
    `The token has the audience ${quoted(claims.aud)}, the pasted URL is ${quoted(pasted.href)}, and the endpoint answers with 401`,
  )
}

const withoutSlash = (value: unknown) => textOf(value).replace(/\/$/, '')
