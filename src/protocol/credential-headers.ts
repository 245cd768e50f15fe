/** The headers that carry credentials. They are neither stored nor given to handlers. */

export const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'dpop',
  'proxy-authorization',
])

/** Returns a copy of headers without credentials. */
export function withoutCredentials(headers: Headers): Headers {
  const copy = new Headers(headers)
  for (const name of CREDENTIAL_HEADERS) copy.delete(name)
  return copy
}

/** The headers without credentials as lines of `name: value`, which an RPC carries. */
export function linesWithoutCredentials(headers: Headers): string {
  let lines = ''
  headers.forEach((value, name) => {
    if (!CREDENTIAL_HEADERS.has(name)) lines += `${name}: ${value}\n`
  })
  return lines
}
