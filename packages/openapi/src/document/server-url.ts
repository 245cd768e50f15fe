/** The URL in front of the paths: from the option, or from the `servers` of the description. */
import { isJsonObject } from '../../../../src/protocol/json.ts'
import { descriptionError, member, type Place } from './description-error.ts'

/** Checks a base URL and returns it without a slash at its end. @throws {TypeError} */
export function checkBaseUrl(text: unknown): string {
  const url = typeof text === 'string' ? URL.parse(text) : null
  const fault = faultOf(url)
  if (url === null || fault !== undefined) {
    throw new TypeError(`baseUrl must be an absolute http: or https: URL; this one ${fault}`)
  }
  return url.href.replace(/\/$/, '')
}

/** The messages do not quote the URL: it may contain credentials. */
function faultOf(url: URL | null): string | undefined {
  if (url === null) return 'is not absolute'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `has the scheme ${url.protocol}`
  if (url.username !== '' || url.password !== '') {
    return 'contains credentials: use the option auth'
  }
  return url.search === '' && url.hash === '' ? undefined : 'has a query or a fragment'
}

/** The text of a value. YAML reads one without quotes, such as the number of a port, as a number or a boolean. */
function textOf(value: unknown): string | undefined {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined
}

/**
 * Resolves the first of the servers, with the defaults of its variables.
 *
 * @throws {DescriptionError} without servers, for a relative URL, another scheme, or a variable without a
 *   value
 */
export function resolveServer(
  servers: unknown,
  place: Place,
  variables: Readonly<Record<string, string>>,
): string {
  const [server] = Array.isArray(servers) ? servers : []
  if (server === undefined) throw descriptionError('there are no servers: set baseUrl', place)
  const at = member(place, 0)
  if (!isJsonObject(server) || typeof server.url !== 'string') {
    throw descriptionError('a server needs a url', at)
  }
  const declared = isJsonObject(server.variables) ? server.variables : {}
  const text = server.url.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const variable = Object.hasOwn(declared, name) ? declared[name] : undefined
    const { default: fallback, enum: allowed } = isJsonObject(variable) ? variable : {}
    const given = Object.hasOwn(variables, name) ? variables[name] : fallback
    const value = textOf(given)
    if (value === undefined) {
      throw descriptionError(
        `the server variable ${JSON.stringify(name)} has no default: set serverVariables or baseUrl`,
        at,
      )
    }
    if (Array.isArray(allowed) && !allowed.some((one) => textOf(one) === value)) {
      throw descriptionError(
        `the value of the server variable ${JSON.stringify(name)} is not one of its enum`,
        at,
      )
    }
    return value
  })
  const url = URL.parse(text)
  const fault = faultOf(url)
  if (url !== null && fault === undefined) return url.href.replace(/\/$/, '')
  throw descriptionError(`the URL of the server ${fault}: set the option baseUrl`, at)
}
