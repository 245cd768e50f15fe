/** `WWW-Authenticate` (RFC 9110 §11.6.1): several challenges may share one header. */

const MAX_CHARACTERS = 8192

/** A parameter, or the scheme that begins the next challenge. Each alternative is linear. */
const TOKEN = /([A-Za-z0-9_.!#$%&'*+^`|~-]+)(?:[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?/g

/** The parameters of the Bearer challenge, with names in lower case; undefined without one. */
export function parseChallenge(header: string): Readonly<Record<string, string>> | undefined {
  let scheme = ''
  const parameters = new Map<string, string>()
  let isFound = false
  for (const [, name = '', quoted, plain] of header.slice(0, MAX_CHARACTERS).matchAll(TOKEN)) {
    const value = quoted?.replace(/\\(.)/g, '$1') ?? plain
    if (value === undefined) scheme = name.toLowerCase()
    if (scheme !== 'bearer') continue
    isFound = true
    if (value !== undefined) parameters.set(name.toLowerCase(), value)
  }
  return isFound ? Object.fromEntries(parameters) : undefined
}
