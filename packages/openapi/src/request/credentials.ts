/** Adds credentials to requests, and removes them from what is shown. */
import { encodeBase64 } from '../../../../src/platform/base64.ts'
import type { MaybePromise } from '../../../../src/platform/maybe-promise.ts'
import type { GrantProps } from '../../../../src/protocol/auth-info.ts'
import type { Context } from '../../../../src/server/context.ts'
import { ToolError } from '../../../../src/server/tool-error.ts'
import type { SchemeUse, SecurityRequirements, SecurityScheme } from '../document/security.ts'
import type { ApiRequest } from './build-request.ts'
import { encodeUnreserved } from './parameter-style.ts'

/** A key or token; for `http` with `basic`, a name with a password. */
export type Credential = string | { readonly username: string; readonly password: string }

/** Returns the credential of a scheme for the caller, or undefined if there is none. */
export type CredentialSource<Env = unknown, Props = GrantProps> = (
  ctx: Context<Env, Props>,
  scheme: SecurityScheme,
) => MaybePromise<Credential | undefined>

/** The secrets of one call, as they may appear in texts. */
export type Secrets = Set<string>

/** Shorter texts are not removed: they may be in any text by chance. */
const MIN_SECRET_LENGTH = 6

const REDACTED = '[redacted]'

/**
 * Adds the credentials of the first requirement for which there are all.
 *
 * @throws {ToolError} if there is none
 */
export async function addCredentials(
  request: ApiRequest,
  requirements: SecurityRequirements,
  source: (scheme: SecurityScheme) => MaybePromise<Credential | undefined>,
  secrets: Secrets,
): Promise<void> {
  const known = new Map<string, Credential | undefined>()
  const credentialOf = async ({ scheme }: SchemeUse) => {
    if (!known.has(scheme.name)) known.set(scheme.name, await source(scheme))
    return known.get(scheme.name)
  }
  for (const requirement of requirements) {
    const found: (readonly [SecurityScheme, Credential])[] = []
    for (const use of requirement) {
      const credential = await credentialOf(use)
      if (credential !== undefined && credential !== '') found.push([use.scheme, credential])
    }
    // An empty requirement is used only if no other is left.
    const isLast = requirement === requirements.at(-1)
    if (found.length !== requirement.length || (requirement.length === 0 && !isLast)) continue
    for (const [scheme, credential] of found) addCredential(request, scheme, credential, secrets)
    return
  }
  if (requirements.some((requirement) => requirement.length === 0)) return
  const names = requirements.map((uses) => uses.map(({ scheme }) => scheme.name).join(' and '))
  throw new ToolError(`There are no credentials for this API: it needs ${names.join(' or ')}.`)
}

function addCredential(
  request: ApiRequest,
  scheme: SecurityScheme,
  credential: Credential,
  secrets: Secrets,
): void {
  const text =
    typeof credential === 'string' ? credential : `${credential.username}:${credential.password}`
  if (typeof credential !== 'string') secrets.add(credential.password)
  // A header is sent without white space at its ends, such as the line break at the end of a file.
  secrets.add(text.trim())
  if (scheme.type === 'apiKey') {
    addApiKey(request, scheme, text)
    return
  }
  const name = scheme.type === 'http' ? scheme.scheme : 'bearer'
  if (name !== 'basic') {
    setField(request.headers, 'authorization', `${authorizationName(name)} ${text}`)
    return
  }
  const encoded = encodeBase64(new TextEncoder().encode(text))
  secrets.add(encoded)
  setField(request.headers, 'authorization', `Basic ${encoded}`)
}

/** Some servers compare the name with its capital. */
function authorizationName(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
}

function addApiKey(
  request: ApiRequest,
  scheme: SecurityScheme & { readonly type: 'apiKey' },
  key: string,
): void {
  const { headers } = request
  if (scheme.in === 'header') {
    setField(headers, scheme.parameter, key)
    return
  }
  const pair = `${encodeUnreserved(scheme.parameter)}=${encodeUnreserved(key)}`
  if (scheme.in === 'query') {
    request.url += `${request.url.includes('?') ? '&' : '?'}${pair}`
    return
  }
  const cookies = headers.get('cookie')
  headers.set('cookie', cookies === null ? pair : `${cookies}; ${pair}`)
}

/** @throws {TypeError} without the value, which the error of the platform would quote */
export function setField(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value)
  } catch {
    throw new TypeError(`The value of the header ${JSON.stringify(name)} cannot be sent`)
  }
}

/** Replaces every secret in a text, also as JSON, URLs and HTML write it. */
export function redact(text: string, secrets: Secrets): string {
  let redacted = text
  for (const secret of secrets) {
    if (secret.length < MIN_SECRET_LENGTH) continue
    for (const form of formsOf(secret)) redacted = redacted.replaceAll(form, REDACTED)
  }
  return redacted
}

const HTML_ESCAPES = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
] as const

function formsOf(secret: string): ReadonlySet<string> {
  const json = JSON.stringify(secret).slice(1, -1)
  const urls = [encodeURIComponent(secret), encodeUnreserved(secret)]
  const html = HTML_ESCAPES.reduce((text, [from, to]) => text.replaceAll(from, to), secret)
  // Some encoders write the digits of an octet in lower case.
  const lower = urls.map((url) => url.replace(/%../g, (octet) => octet.toLowerCase()))
  // As PHP and Go write JSON.
  const escaped = [
    json.replaceAll('/', '\\/'),
    json.replace(/[&<>]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`),
  ]
  return new Set([secret, json, ...escaped, ...urls, ...lower, html])
}
