/** Step: the first request reaches an MCP server. */
import { ErrorCode } from '../../../../../src/protocol/error-codes.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import {
  answered,
  type Detected,
  describe,
  detected,
  failedChecks,
  type Step,
  transportFault,
} from '../detected.ts'
import { isPrivateHost } from '../http/addresses.ts'
import { isBotChallenge } from '../http/bot-challenge.ts'
import type { HttpResponse } from '../http/http-client.ts'
import { isHtml } from '../http/is-html.ts'
import type { RpcReply } from '../mcp/rpc.ts'
import type { LegacySse } from '../probes/legacy-sse.ts'
import { isServed, type ReachObservation, type Redirect } from '../probes/reach.ts'

export const reach: Step = {
  title: 'reaches the endpoint',
  check: ({ pasted, reach: observed }) => [...urlFaults(pasted), ...replyFaults(observed)],
}

function urlFaults(url: URL): Detected[] {
  if (isPrivateHost(url)) return []
  return failedChecks({ pasted: url.href }, 'not-https', 'port-not-443').slice(0, 1)
}

/** The first fault ends the way of every client, so there is one cause at most. */
export function replyFaults(observed: ReachObservation): Detected[] {
  const { redirects, asClaude, anyAccept, bothAccept } = observed
  const lost = redirects.find(({ keepsRequest }) => !keepsRequest)
  if (lost !== undefined) {
    const code = leadsToSignIn(lost) ? 'unauthenticated-not-401' : 'redirect-drops-request'
    return [detected(code, redirectText(lost))]
  }
  const [kept] = redirects
  const redirected = kept === undefined ? [] : [detected('endpoint-redirects', redirectText(kept))]
  if (!isServed(bothAccept)) {
    const legacy = legacyFaults(observed.legacySse, bothAccept)
    if (legacy.length > 0) return legacy
    const fault = refusal(bothAccept)
    return fault === undefined ? redirected : [fault]
  }
  if (!isServed(anyAccept)) {
    const message = `initialize with "Accept: */*" is answered with ${describe(anyAccept)}; with both media types it is served`
    return [...redirected, detected('accept-refused', message)]
  }
  if (!isServed(asClaude)) {
    const message = `initialize with "User-Agent: Ruby" is answered with ${describe(asClaude)}; with another User-Agent it is served`
    return [...redirected, detected('user-agent-blocked', message)]
  }
  return redirected
}

/** @param refused the answer to a POST request */
export function legacyFaults(legacySse: LegacySse | undefined, refused: RpcReply): Detected[] {
  if (legacySse === undefined) return []
  const text = `POST is answered with ${describe(refused)}, and GET opens a stream with an "endpoint" event`
  const { failure } = legacySse
  return [
    detected('legacy-sse-only', text),
    ...(failure === undefined ? [] : [detected('legacy-sse-fails', failure)]),
  ]
}

const redirectText = ({ status, location }: Redirect) =>
  `POST is redirected with status ${status} to ${quoted(location)}`

/** Whether a redirect leads to a page where a person signs in. */
const leadsToSignIn = ({ target }: Redirect) =>
  target !== undefined && /\/(?:log[_-]?in|sign[_-]?in|sso)(?:[/.]|$)/i.test(target.pathname)

/** What an error of JSON-RPC says besides; a page may have a link with these words. */
const ASKS_TO_SIGN_IN = /\b(?:log|sign|logged|signed)[ -]?in\b/i

/** What words an error has when it asks for a token in another way than by status 401. */
const ASKS_FOR_TOKEN =
  /\bunauthori[sz]ed|\bunauthenticated|not authenticated|\bauthentication|\bauthorization|\baccess token|\bapi[ _-]?key|\bcredentials/i

/** An error of the server itself may have these words too, such as that of its database. */
function asksForToken({ http, code, message }: Extract<RpcReply, { kind: 'error' }>): boolean {
  if (http.status >= 500 || code === ErrorCode.internalError) return false
  return ASKS_FOR_TOKEN.test(message) || ASKS_TO_SIGN_IN.test(message)
}

/** What the SDKs, Edgeway, Vite, Rails and Django answer. */
const REFUSES_HOST =
  /invalid host|allowed_?hosts|host not allowed|this host \(|blocked hosts?:|disallowed ?host/i

/** What checks of the Origin header answer. */
const REFUSES_ORIGIN =
  /\borigin\b[^.]{0,40}\b(?:header|allowed|invalid|missing|required|forbidden|denied)|\b(?:invalid|missing|forbidden|bad|unknown|untrusted)\W+origin\b/i

/** What nginx, Cloudflare and Apache answer. */
const EXPECTS_HTTPS = /plain HTTP request was sent to HTTPS port|plain HTTP to an SSL-enabled/i

/** Statuses of gateways, those of Cloudflare among them, and the header of a tunnel that has ended. */
function isFromProxy({ status, headers }: HttpResponse): boolean {
  if (headers['ngrok-error-code'] !== undefined) return true
  return status === 502 || status === 504 || (status >= 520 && status <= 530)
}

/** Whether the refusal may be that of a version. */
const isOfVersion = ({ status }: HttpResponse) => [400, 401, 422].includes(status)

/** Undefined where a later step says more: an error of `initialize` itself. */
export function refusal(reply: RpcReply): Detected | undefined {
  if (reply.kind !== 'failed' && isBotChallenge(reply.http)) {
    return answered('bot-challenge', 'initialize', reply.http)
  }
  const transport = transportFault(reply, 'initialize')
  if (transport !== undefined) return transport
  if (reply.kind === 'error' && asksForToken(reply)) {
    return answered('unauthenticated-not-401', 'initialize', reply)
  }
  if (reply.kind !== 'http' && reply.kind !== 'error') return undefined
  const { http } = reply
  const say = (code: Detected['code']) => answered(code, 'initialize', http)
  if (http.status === 429) return say('rate-limited')
  if (EXPECTS_HTTPS.test(http.text.slice(0, 2000))) return say('https-expected')
  if ([400, 403, 421].includes(http.status) && REFUSES_HOST.test(http.text.slice(0, 2000))) {
    return say('host-refused')
  }
  if (isFromProxy(http)) return say('proxy-cannot-reach-server')
  if (http.status >= 500) return say('server-error')
  const text = http.text.slice(0, 2000)
  const isPage = isHtml(text)
  if ([400, 403].includes(http.status) && !isPage && REFUSES_ORIGIN.test(text)) {
    return say('origin-required')
  }
  if (http.status === 403) {
    // The page of a proxy, which has seen no token.
    return say(isPage && !ASKS_FOR_TOKEN.test(text) ? 'request-refused' : 'unauthenticated-not-401')
  }
  if (reply.kind === 'error') return undefined
  if (http.status >= 300 && http.status < 400) return say('redirect-drops-request')
  const isAbsent = [404, 405, 410].includes(http.status)
  // The page of an absent path may lead to pages about authorization.
  if (!(isAbsent && isPage) && ASKS_FOR_TOKEN.test(text)) return say('unauthenticated-not-401')
  if (isAbsent) return say('endpoint-not-found')
  if (isPage) return say('endpoint-answers-html')
  return isOfVersion(http) ? undefined : say('request-refused')
}
