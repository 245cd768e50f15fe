/** `GET /`: the page for people, and its machine-readable form. */

import type { Definitions } from '../../../dispatch/definitions.ts'
import type { AppContext } from '../../../feature/feature.ts'
import { PAGE_LINK, type PageLink } from '../../../feature/page-links.ts'
import type { Handle } from '../../../feature/route.ts'
import { htmlResponse } from '../../../pages/html-response.ts'
import { sha256Base64Url } from '../../../platform/digest.ts'
import { isNoneMatch } from '../../../platform/etag.ts'
import type { AuthInfo } from '../../../protocol/auth-info.ts'
import { NO_PARAMS } from '../../../protocol/factory-params.ts'
import { ProtocolError } from '../../../protocol/protocol-error.ts'
import type { Definition } from '../../../server/definition.ts'
import { drain } from '../../../transport/body/drain.ts'
import type { WaitUntil } from '../../../transport/entrance.ts'
import { refusalOfExcess } from '../../../transport/rate-limits.ts'
import { refusalEvent } from '../../../transport/refusal.ts'
import { refusalResponse } from '../../../transport/respond.ts'
import { clientGuides } from './client-guides.ts'
import { chooseForm, type Form } from './negotiate.ts'
import type { LandingPageOptions } from './options.ts'
import { landingPage } from './page.ts'
import { describeInfo, describeLists, type ServerView } from './server-view.ts'
import { STYLE_SOURCE } from './style.ts'

/** The page of the authorization server for people. */
const ACCOUNT_PATH = '/account'

/** The definition of the person, or why there is none to show. */
type Found = { readonly definition: Definition } | { readonly hidden: ServerView['hidden'] }

/** Reads `app` when a request needs it. */
export function servePage(app: AppContext, options: LandingPageOptions): Handle {
  const { patterns, gate, servicesOf, report } = app
  const plainPath = patterns.find(({ paramNames }) => paramNames.length === 0)?.source

  const visitorOf = async (request: Request, env: unknown, ctx: WaitUntil) => {
    if (gate?.visitor === undefined || plainPath === undefined) return undefined
    try {
      const background = (work: Promise<unknown>) => ctx.waitUntil(work)
      return await gate.visitor(request, env, plainPath, background, ctx)
    } catch (error) {
      // The page of a stranger is still of use.
      report({ type: 'internal-error', error })
      return undefined
    }
  }

  return async (request, env, ctx) => {
    const { method, headers } = request
    if (method !== 'GET' && method !== 'HEAD') {
      await drain(request)
      const message = `The MCP endpoint is ${patterns[0]?.source}`
      return plainJson(405, { error: 'method_not_allowed', message }, { allow: 'GET, HEAD' })
    }
    const vary = gate?.visitor === undefined ? 'accept' : 'accept, cookie'
    const form = chooseForm(headers.get('accept'))
    if (form === undefined) {
      const message = 'This page is text/html or application/json'
      return plainJson(406, { error: 'not_acceptable', message }, { vary })
    }
    // The factory and the verifier of the author may be called, and a program may guess cookies.
    const { rateLimits } = servicesOf(env)
    const refusal = await refusalOfExcess({ rateLimits, request })
    if (refusal !== undefined) {
      report(refusalEvent(refusal))
      return refusalResponse(refusal, { vary })
    }
    const visitor = await visitorOf(request, env, ctx)
    const { definitions } = app.deploymentOf(env)
    const found = await find(app, options, definitions, visitor, plainPath !== undefined)
    const view = viewOf(app, options, found, visitor, originOf(app, request, env))
    const isPrivate = visitor !== undefined
    const response = respond(form, view, PAGE_LINK.of(app.extensions))
    return finish(request, response, { vary, isPrivate })
  }
}

async function find(
  { auth }: AppContext,
  { lists }: LandingPageOptions,
  definitions: Definitions,
  visitor: AuthInfo | undefined,
  hasPlainPath: boolean,
): Promise<Found> {
  const servesAnonymous = auth === undefined || auth.allowsAnonymous === true
  const shownTo = lists ?? (servesAnonymous ? 'everyone' : 'signed-in')
  if (shownTo === 'none') return { hidden: 'private' }
  if (shownTo === 'signed-in' && visitor === undefined) return { hidden: 'sign-in' }
  if (definitions.shared === undefined && !hasPlainPath) return { hidden: 'parameters' }
  try {
    const { definition } = await definitions.of({ auth: visitor, params: NO_PARAMS })
    return { definition }
  } catch (error) {
    // Telemetry has received the cause.
    if (error instanceof ProtocolError) return { hidden: 'unavailable' }
    throw error
  }
}

function viewOf(
  { info, patterns, queryParams, auth, gate, ownResource }: AppContext,
  options: LandingPageOptions,
  found: Found,
  visitor: AuthInfo | undefined,
  origin: string,
): ServerView {
  const definition = 'definition' in found ? found.definition : undefined
  const shown = definition?.info ?? info
  const endpoints = patterns.map(({ source, paramNames }) => ({
    url: `${origin}${source}`,
    parameters: paramNames,
  }))
  return {
    ...describeInfo(shown),
    instructions: options.instructions ? definition?.instructions : undefined,
    endpoints,
    queryParameters: queryParams,
    authorization: {
      required: auth !== undefined && auth.allowsAnonymous !== true,
      accountUrl: gate?.paths.includes(ACCOUNT_PATH) ? `${origin}${ACCOUNT_PATH}` : undefined,
      scopes: auth?.scopes?.filter(({ name }) => name !== ownResource?.scope) ?? [],
    },
    clients: clientGuides({
      name: shown.name,
      url: endpoints[0]?.url ?? origin,
      signsIn: auth?.type === 'embedded' || auth?.type === 'external',
    }),
    ...('definition' in found
      ? { lists: describeLists(found.definition, visitor) }
      : { hidden: found.hidden }),
  }
}

/** The page is of use to the operator of a server whose origin is invalid, too. */
function originOf({ origins, report }: AppContext, request: Request, env: unknown): string {
  try {
    return origins.ofRequest(request, env)
  } catch (error) {
    report({ type: 'internal-error', error })
    return new URL(request.url).origin
  }
}

function respond(form: Form, view: ServerView, links: readonly PageLink[]): Response {
  const link = links.map(({ rel, href }) => `<${href}>; rel="${rel}"`).join(', ')
  const headers: Record<string, string> = link === '' ? {} : { link }
  if (form === 'json') return plainJson(200, view, headers)
  return htmlResponse(landingPage(view, links), {
    styleSource: STYLE_SOURCE,
    directives: ['img-src data:', "form-action 'none'"],
    headers,
  })
}

function plainJson(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  })
}

/** Adds the headers for caches. The page changes with a deployment, so a cache asks each time. */
async function finish(
  request: Request,
  response: Response,
  { vary, isPrivate }: { readonly vary: string; readonly isPrivate: boolean },
): Promise<Response> {
  const { headers } = response
  const body = await response.text()
  headers.set('vary', vary)
  if (!isPrivate) {
    const etag = `"${await sha256Base64Url(body)}"`
    headers.set('cache-control', 'no-cache')
    headers.set('etag', etag)
    if (isNoneMatch(request.headers.get('if-none-match'), etag)) {
      headers.delete('content-type')
      return new Response(null, { status: 304, headers })
    }
  }
  return new Response(request.method === 'HEAD' ? null : body, { status: response.status, headers })
}
