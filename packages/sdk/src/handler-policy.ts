/** The options of `createMcpHandler()` that decide which hosts and web pages are served. */
import type { EdgewayOptions } from '../../../src/app.ts'
import { withoutCors, withPreflight } from './cors-options.ts'
import {
  localhostAllowedHostnames,
  originValidationResponse,
  rejectionResponse,
  validateHostHeader,
} from './host-and-origin.ts'
import type { CreateMcpHandlerOptions } from './mcp-handler-options.ts'

type PolicyOptions = Pick<
  CreateMcpHandlerOptions,
  | 'allowedHostnames'
  | 'allowedHosts'
  | 'allowedOriginHostnames'
  | 'allowedOrigins'
  | 'auth'
  | 'corsOptions'
>

export interface HandlerPolicy {
  /** Of the app, which checks loopback and plain http in any case. */
  readonly options: Pick<EdgewayOptions, 'allowedHosts' | 'allowedOrigins'>
  /** Returns the 403 of a request whose host or origin is not allowed. */
  refuse(request: Request): Response | undefined
  /** Adapts the headers of CORS. */
  adapt(request: Request, response: Response): Response
}

/**
 * The origin that `corsOptions` names; undefined for `*`. `URL.origin` is not used: it is `null` for the page of an
 * extension, as for every sandboxed frame.
 *
 * @throws {TypeError} for a text that is no origin
 */
function namedOrigin(text: string | undefined): string | undefined {
  if (text === undefined || text === '*') return undefined
  const url = URL.parse(text)
  const origin = url && `${url.protocol}//${url.host}`
  if (!url?.host || (text !== origin && text !== `${origin}/`)) {
    throw new TypeError(
      `corsOptions.origin ${JSON.stringify(text)} must be * or an origin like https://app.example`,
    )
  }
  return origin ?? undefined
}

/** @throws {TypeError} for an origin in `corsOptions` that is none */
export function createHandlerPolicy({
  allowedHostnames,
  allowedHosts = allowedHostnames,
  allowedOriginHostnames: pages,
  allowedOrigins,
  auth,
  corsOptions = {},
}: PolicyOptions): HandlerPolicy {
  const named = corsOptions === false ? undefined : namedOrigin(corsOptions.origin)
  // The caller of the context may be anonymous, whom no bearer token protects against foreign pages.
  const ownPagesOnly = named !== undefined || (auth === undefined && allowedOrigins === undefined)
  const refusePage = (request: Request): Response | undefined => {
    const origin = request.headers.get('origin')
    if (origin === null || pages === '*') return undefined
    if (pages !== undefined) return originValidationResponse(request, pages)
    const own = new URL(request.url)
    // The app decides for loopback hosts.
    const isOpen = !ownPagesOnly || localhostAllowedHostnames().includes(own.hostname)
    if (isOpen || origin === own.origin || origin === named) return undefined
    return originValidationResponse(request, [])
  }
  // Where pages are named, `refusePage` decides. The app still refuses other pages on a loopback host.
  const origins = allowedOrigins ?? (pages || named ? ['*'] : undefined)
  return {
    options: {
      ...(allowedHosts && { allowedHosts }),
      ...(origins && { allowedOrigins: origins }),
    },
    refuse: (request) =>
      (allowedHostnames &&
        rejectionResponse(validateHostHeader(new URL(request.url).host, allowedHostnames))) ??
      refusePage(request),
    adapt: (request, response) =>
      corsOptions === false ? withoutCors(response) : withPreflight(request, response, corsOptions),
  }
}
