/**
 * The checks of `Host` and `Origin` of the SDK 2.x, for code in front of a handler. Edgeway checks both by
 * itself (`security/host.ts`, `security/origin.ts`).
 */

export type HostHeaderValidationResult =
  | { ok: true; hostname: string }
  | {
      ok: false
      errorCode: 'missing_host' | 'invalid_host_header' | 'invalid_host'
      message: string
      hostHeader?: string
      hostname?: string
    }

export type OriginValidationResult =
  | { ok: true; origin?: string; hostname?: string }
  | {
      ok: false
      errorCode: 'invalid_origin_header' | 'invalid_origin'
      message: string
      originHeader?: string
      hostname?: string
    }

export function localhostAllowedHostnames(): string[] {
  return ['localhost', '127.0.0.1', '[::1]']
}

export function localhostAllowedOrigins(): string[] {
  return localhostAllowedHostnames()
}

/** @param allowedHostnames without ports; an IPv6 address in brackets */
export function validateHostHeader(
  hostHeader: string | null | undefined,
  allowedHostnames: readonly string[],
): HostHeaderValidationResult {
  if (!hostHeader) return { ok: false, errorCode: 'missing_host', message: 'Missing Host header' }
  const hostname = URL.parse(`http://${hostHeader}`)?.hostname
  if (hostname === undefined) {
    const message = `Invalid Host header: ${hostHeader}`
    return { ok: false, errorCode: 'invalid_host_header', message, hostHeader }
  }
  if (allowedHostnames.includes(hostname)) return { ok: true, hostname }
  const message = `Invalid Host: ${hostname}`
  return { ok: false, errorCode: 'invalid_host', message, hostHeader, hostname }
}

/**
 * A request without `Origin` is allowed: only browsers send one.
 *
 * @param allowedOriginHostnames without schemes and ports. `moz-extension://*` and the like allow each
 *   origin of a scheme other than `http` and `https`
 */
export function validateOriginHeader(
  originHeader: string | null | undefined,
  allowedOriginHostnames: readonly string[],
): OriginValidationResult {
  if (!originHeader) return { ok: true }
  const { hostname = '', protocol = '' } = URL.parse(originHeader) ?? {}
  if (hostname === '') {
    const message = `Invalid Origin header: ${originHeader}`
    return { ok: false, errorCode: 'invalid_origin_header', message, originHeader }
  }
  const isWebsite = protocol === 'http:' || protocol === 'https:'
  const allowed =
    allowedOriginHostnames.includes(hostname) ||
    (!isWebsite && allowedOriginHostnames.includes(`${protocol}//*`))
  if (allowed) return { ok: true, origin: originHeader, hostname }
  const message = `Invalid Origin: ${hostname}`
  return { ok: false, errorCode: 'invalid_origin', message, originHeader, hostname }
}

/** Returns the 403 of a request whose `Host` is not allowed; undefined for an allowed one. */
export function hostHeaderValidationResponse(
  { headers }: Request,
  allowedHostnames: readonly string[],
): Response | undefined {
  return rejectionResponse(validateHostHeader(headers.get('host'), allowedHostnames))
}

/** Returns the 403 of a request whose `Origin` is not allowed; undefined for an allowed one. */
export function originValidationResponse(
  { headers }: Request,
  allowedOriginHostnames: readonly string[],
): Response | undefined {
  return rejectionResponse(validateOriginHeader(headers.get('origin'), allowedOriginHostnames))
}

/** Returns the 403 of a result that is not `ok`. */
export function rejectionResponse(
  result: HostHeaderValidationResult | OriginValidationResult,
): Response | undefined {
  if (result.ok) return undefined
  const error = { code: -32000, message: result.message }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 403 })
}
