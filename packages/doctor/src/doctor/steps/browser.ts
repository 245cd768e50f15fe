/** Steps beside the way of a client: a browser client, and the well-known paths of an open server. */
import { parseJson } from '../../../../text/src/json/json-text.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import { INSPECTOR_ORIGIN } from '../clients.ts'
import { answered, describe, detected, type Step } from '../detected.ts'
import type { HttpReply, HttpResponse } from '../http/http-client.ts'
import { BROWSER_HEADERS } from '../probes/browser.ts'
import type { SessionObservation } from '../probes/session.ts'

export const browser: Step = {
  title: 'connects from a browser',
  check: ({ browser: seen, session }) => {
    if (seen === undefined) return []
    const { preflight, request } = seen
    if (request.ok && request.status === 403) {
      return [answered('origin-refused', `initialize with Origin ${INSPECTOR_ORIGIN}`, request)]
    }
    const missing = preflightDefect(preflight) ?? methodDefect(preflight, session)
    if (missing !== undefined) return [detected('preflight-refused', missing)]
    const hidden = request.ok ? hiddenHeader(request) : undefined
    return hidden === undefined ? [] : [detected('cors-headers-hidden', hidden)]
  },
}

function preflightDefect(reply: HttpReply): string | undefined {
  if (!reply.ok || reply.status >= 300) {
    return `OPTIONS with Origin ${INSPECTOR_ORIGIN} is answered with ${describe(reply)}`
  }
  if (!allowsOrigin(reply)) {
    return `The preflight has Access-Control-Allow-Origin ${quoted(reply.headers['access-control-allow-origin'])}`
  }
  const allowed = listOf(reply.headers['access-control-allow-headers'])
  // The wildcard does not cover Authorization.
  const isAllowed = (name: string) =>
    allowed.includes(name) || (allowed.includes('*') && name !== 'authorization')
  const missing = BROWSER_HEADERS.filter((name) => !isAllowed(name))
  if (missing.length === 0) return undefined
  return `Access-Control-Allow-Headers is ${quoted(reply.headers['access-control-allow-headers'])}, without ${missing.join(', ')}`
}

/** A browser sends DELETE only if the preflight allows it. GET and POST need no permission. */
function methodDefect(
  preflight: HttpReply,
  session: SessionObservation | undefined,
): string | undefined {
  const ended = session?.open?.sessionId?.ended
  if (!preflight.ok || ended?.ok !== true || ended.status >= 300) return undefined
  const methods = preflight.headers['access-control-allow-methods']
  const allowed = listOf(methods)
  if (allowed.includes('delete') || allowed.includes('*')) return undefined
  return `Access-Control-Allow-Methods is ${quoted(methods)}, without DELETE`
}

function hiddenHeader(response: HttpResponse): string | undefined {
  const { headers, status } = response
  if (!allowsOrigin(response)) {
    return `A response with status ${status} has Access-Control-Allow-Origin ${quoted(headers['access-control-allow-origin'])}`
  }
  const exposed = listOf(headers['access-control-expose-headers'])
  const needed = status === 401 ? 'www-authenticate' : 'mcp-session-id'
  if (headers[needed] === undefined || exposed.includes(needed) || exposed.includes('*')) {
    return undefined
  }
  return `Access-Control-Expose-Headers is ${quoted(headers['access-control-expose-headers'])}, without ${needed}`
}

const allowsOrigin = ({ headers }: HttpResponse) =>
  ['*', INSPECTOR_ORIGIN].includes(headers['access-control-allow-origin'] ?? '')

const listOf = (header = '') =>
  header
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())

export const wellKnown: Step = {
  title: 'finds no authorization server',
  check: ({ wellKnown: replies = [] }) => {
    const page = replies.find((reply) => reply.ok && !isJsonAnswer(reply))
    if (page === undefined) return []
    return [detected('well-known-not-json', `${page.url.href}: ${describe(page)}`)]
  },
}

const isJsonAnswer = ({ text }: HttpResponse) => text.trim() === '' || parseJson(text) !== undefined
