/** Reads the options that may be different for each caller, and applies them to one request. */
import { isJsonObject } from '../../../src/protocol/json.ts'
import type { FullContext } from '../../../src/server/context.ts'
import type { SecurityRequirements, SecurityScheme, SecuritySchemes } from './document/security.ts'
import { checkBaseUrl } from './document/server-url.ts'
import type { CallerOptions, SecretName } from './options.ts'
import type { ApiRequest } from './request/build-request.ts'
import {
  addCredentials,
  type CredentialSource,
  type Secrets,
  setField,
} from './request/credentials.ts'

/** The checked options of one caller. Types of the environment and of props are erased. */
export interface Caller {
  /** The names of the secrets that are sent for every caller. */
  readonly secretNames: readonly string[]
  /** Undefined: the URL of the description. */
  readonly baseUrlOf: ((ctx: FullContext) => Promise<string>) | undefined
  readonly authorize: (
    request: ApiRequest,
    requirements: SecurityRequirements,
    ctx: FullContext,
    secrets: Secrets,
  ) => Promise<void>
}

/** Names of headers whose values must not be shown. */
const MAY_BE_SECRET = /auth|cookie|key|secret|token/i

/** @throws {TypeError} for malformed options, and for a source of an unknown scheme */
export function createCaller<Env, Props>(
  options: CallerOptions<Env, Props>,
  schemes: SecuritySchemes,
): Caller {
  // What the author typed is passed as the runtime has it.
  const { auth, baseUrl, headers } = options as CallerOptions
  const source = auth === undefined ? undefined : createSource(auth, schemes)
  const fixedUrl = typeof baseUrl === 'function' ? undefined : baseUrl
  const checkedUrl = fixedUrl === undefined ? undefined : checkBaseUrl(fixedUrl)
  return {
    secretNames: auth === undefined ? [] : secretNamesOf(auth),
    baseUrlOf:
      baseUrl === undefined
        ? undefined
        : async (ctx) =>
            typeof baseUrl === 'function' ? checkBaseUrl(await baseUrl(ctx)) : (checkedUrl ?? ''),
    authorize: async (request, requirements, ctx, secrets) => {
      const extra = typeof headers === 'function' ? await headers(ctx) : (headers ?? {})
      for (const [name, value] of Object.entries(extra)) {
        setField(request.headers, name, value)
        if (MAY_BE_SECRET.test(name)) secrets.add(value)
      }
      if (source === undefined) return
      await addCredentials(request, requirements, (scheme) => source(ctx, scheme), secrets)
    },
  }
}

function createSource(
  auth: NonNullable<CallerOptions['auth']>,
  schemes: SecuritySchemes,
): CredentialSource {
  if (typeof auth === 'function') return auth
  if (isSecretName(auth)) return sourceOf(auth)
  if (!isJsonObject(auth))
    throw new TypeError('auth must be a function, a secret, or sources by scheme')
  const sources = new Map<string, CredentialSource>()
  for (const [name, source] of Object.entries(auth)) {
    if (!schemes.has(name)) {
      const known = [...schemes.keys()].join(', ') || 'none'
      throw new TypeError(
        `auth: the description has no security scheme ${JSON.stringify(name)}; it has ${known}`,
      )
    }
    sources.set(name, sourceOf(source))
  }
  return (ctx, scheme: SecurityScheme) => sources.get(scheme.name)?.(ctx, scheme)
}

function secretNamesOf(auth: NonNullable<CallerOptions['auth']>): readonly string[] {
  const sources = isSecretName(auth) ? [auth] : Object.values(auth)
  return sources.filter(isSecretName).map(({ secret }) => secret)
}

function sourceOf(source: unknown): CredentialSource {
  if (typeof source === 'function') return source as CredentialSource
  if (isSecretName(source)) return ({ env }) => readSecret(source, env)
  throw new TypeError(
    'auth: a source is { secret: "NAME" } or a function, so that no key is in the code',
  )
}

function isSecretName(source: unknown): source is SecretName {
  return isJsonObject(source) && typeof source.secret === 'string'
}

/** @throws {TypeError} with the name of a secret that is not set; the client does not receive it */
function readSecret({ secret }: SecretName, env: unknown): string {
  const value = (env as Readonly<Record<string, unknown>> | null | undefined)?.[secret]
  if (typeof value === 'string' && value !== '') return value
  throw new TypeError(`The secret ${secret} is not set`)
}
