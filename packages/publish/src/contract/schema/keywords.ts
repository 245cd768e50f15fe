/** Which keywords of a schema decide about values. All others are annotations, which validators ignore. */

/** Keywords that are compared one by one. */
const COMPARED = [
  ...['type', 'enum', 'const', 'allOf', 'anyOf', 'oneOf', '$ref', '$dynamicRef', '$recursiveRef'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding', 'contentMediaType'],
  ...['items', 'prefixItems', 'additionalItems', 'minItems', 'maxItems', 'uniqueItems'],
  ...['properties', 'patternProperties', 'additionalProperties', 'propertyNames', 'required'],
  ...['minProperties', 'maxProperties'],
] as const

/**
 * Keywords that are only found equal or not, in groups that have their meaning together. `nullable` is a keyword of
 * OpenAPI, which some validators know and others ignore.
 */
export const OPAQUE_GROUPS: readonly (readonly string[])[] = [
  ['not'],
  ['if', 'then', 'else'],
  ['contains', 'minContains', 'maxContains'],
  ['dependentRequired'],
  ['dependentSchemas'],
  ['dependencies'],
  ['nullable'],
  ['contentSchema'],
]

/** Their meaning depends on all keywords beside them. */
export const UNEVALUATED = ['unevaluatedProperties', 'unevaluatedItems'] as const

const ASSERTIONS: ReadonlySet<string> = new Set([
  ...COMPARED,
  ...OPAQUE_GROUPS.flat(),
  ...UNEVALUATED,
])

export const isAssertion = (keyword: string): boolean => ASSERTIONS.has(keyword)
