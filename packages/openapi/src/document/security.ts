/** Security schemes and the requirements of operations. @see https://spec.openapis.org/oas/v3.1.1#security-requirement-object */
import { isJsonObject } from '../../../../src/protocol/json.ts'
import { isScopeToken } from '../../../../src/protocol/scope-token.ts'
import { member } from './description-error.ts'
import type { OpenAPIDocument } from './document.ts'

/** A security scheme of the description, with its name there. */
export type SecurityScheme =
  | {
      readonly name: string
      readonly type: 'apiKey'
      readonly in: 'header' | 'query' | 'cookie'
      /** The name of the header, query parameter or cookie. */
      readonly parameter: string
    }
  /** `scheme` is in lower case: `basic`, `bearer`, … */
  | { readonly name: string; readonly type: 'http'; readonly scheme: string }
  | { readonly name: string; readonly type: 'oauth2' | 'openIdConnect' }

export interface SchemeUse {
  readonly scheme: SecurityScheme
  readonly scopes: readonly string[]
}

/** Alternatives; each is the schemes that are sent together. An empty one is a call without credentials. */
export type SecurityRequirements = readonly (readonly SchemeUse[])[]

export type SecuritySchemes = ReadonlyMap<string, SecurityScheme>

const FIELD_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** Schemes that no request can carry are left out: those without a usable name, and `mutualTLS`. */
export function readSecuritySchemes(document: OpenAPIDocument): SecuritySchemes {
  const { components } = document.root
  const place = member(member(undefined, 'components'), 'securitySchemes')
  const map = isJsonObject(components) ? components.securitySchemes : undefined
  const schemes = new Map<string, SecurityScheme>()
  for (const [name, located] of document.entries(map, place)) {
    const { value } = document.object(located)
    const { type, in: at, name: parameter, scheme } = value
    if (type === 'oauth2' || type === 'openIdConnect') schemes.set(name, { name, type })
    if (type === 'http' && typeof scheme === 'string' && FIELD_NAME.test(scheme)) {
      schemes.set(name, { name, type, scheme: scheme.toLowerCase() })
    }
    if (type !== 'apiKey' || typeof parameter !== 'string') continue
    if (at !== 'header' && at !== 'query' && at !== 'cookie') continue
    if (at !== 'query' && !FIELD_NAME.test(parameter)) continue
    schemes.set(name, { name, type, in: at, parameter })
  }
  return schemes
}

/** Returns the alternatives of an operation. Schemes that were left out need no credentials from here. */
export function readRequirements(
  security: unknown,
  schemes: SecuritySchemes,
): SecurityRequirements {
  if (!Array.isArray(security) || security.length === 0) return [[]]
  return security.map((requirement) =>
    Object.entries(isJsonObject(requirement) ? requirement : {}).flatMap(([name, scopes]) => {
      const scheme = schemes.get(name)
      const tokens = Array.isArray(scopes) ? scopes.filter(isScopeToken) : []
      return scheme === undefined ? [] : [{ scheme, scopes: tokens }]
    }),
  )
}

/** The scopes of the first alternative with OAuth 2 or OpenID Connect. */
export function scopesOf(requirements: SecurityRequirements): readonly string[] {
  const uses = requirements.flat().filter(({ scheme }) => /^o/.test(scheme.type))
  return uses[0]?.scopes ?? []
}
