/** Converts one operation of the description to a tool. */
import { isJsonObject } from '../../../src/protocol/json.ts'
import type { FullContext } from '../../../src/server/context.ts'
import { defined } from '../../../src/server/define/checks.ts'
import { compileSchema } from '../../../src/server/schema/compile.ts'
import { jsonSchema } from '../../../src/server/schema/json-schema.ts'
import type { Caller } from './caller.ts'
import { type DescriptionError, isDescriptionError, member } from './document/description-error.ts'
import type { OpenAPIDocument } from './document/document.ts'
import type { CollectedOperation } from './document/operations.ts'
import type { SchemeUse, SecuritySchemes } from './document/security.ts'
import { resolveServer } from './document/server-url.ts'
import { titleOfName } from './document/tool-names.ts'
import { annotationsOf, createHandler, type OperationTool } from './operation-tool.ts'
import type { OpenAPIOptions, OperationOverride, ResolvedLimits } from './options.ts'
import { type PathTemplate, parsePathTemplate } from './request/build-request.ts'
import { cut, describeArguments, nameArguments } from './request/operation-arguments.ts'
import { type Parameter, readParameters } from './request/parameter.ts'
import { readRequestBody } from './request/request-body.ts'
import { acceptOf, outputSchemaOf } from './response/response-schema.ts'
import { fitSchema, type Pruning } from './schema/fit-schema.ts'
import type { ConvertedSchema, SchemaConverter } from './schema/schema-converter.ts'

export interface CompileOptions {
  readonly document: OpenAPIDocument
  readonly schemes: SecuritySchemes
  readonly inputs: SchemaConverter
  readonly outputs: SchemaConverter
  readonly options: OpenAPIOptions
  readonly limits: ResolvedLimits
  readonly callerOf: (ctx: FullContext) => Caller
}

export interface CompiledOperation extends OperationTool {
  readonly pruning: Pruning
  /** The URL of the description, in front of the path. */
  readonly baseUrl: string | undefined
  /** Why the description has no URL for the operation. It matters only if no option has one. */
  readonly serverFault: DescriptionError | undefined
}

/** Maximum length of a title, in UTF-16 code units. */
const MAX_TITLE_LENGTH = 120

/**
 * @throws {DescriptionError} for an operation that cannot be served
 * @throws {TypeError} for an override that does not fit the operation
 */
export function compileOperation(
  operation: CollectedOperation,
  override: OperationOverride,
  { document, schemes, inputs, outputs, options, limits, callerOf }: CompileOptions,
): CompiledOperation {
  const { source, place, method } = operation
  const path = parsePathTemplate(operation.path)
  const parameters = completePath(path, readParameters(document, operation.parameters, schemes))
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody
    ? readRequestBody(
        document,
        inputs,
        { value: source.requestBody, place: member(place, 'requestBody') },
        override.requestMediaType,
      )
    : undefined
  const named = nameArguments(parameters, body !== undefined)
  const described = describeArguments(inputs, named, body)
  const visible = withoutArguments(described, override, operation)
  const { schema, pruning } = fitSchema(visible, limits.maxSchemaLength)
  const outputSchema =
    options.outputSchemas === 'declared' && override.transformResponse === undefined
      ? outputSchemaOf(document, outputs, operation, limits.maxSchemaLength)
      : undefined
  const output = outputSchema && jsonSchema(outputSchema)
  const server = serverOf(operation, options)
  const baseUrl = typeof server === 'string' ? server : undefined
  const name = override.name ?? options.toolName?.(operation) ?? operation.name
  return {
    name,
    pruning,
    baseUrl,
    serverFault: typeof server === 'string' ? undefined : server,
    config: {
      ...describeOperation(name, operation, override, limits.maxDescriptionLength),
      ...settingsOf(override),
      annotations: { ...annotationsOf(method), ...override.annotations },
      tags: override.tags ?? operation.tags,
      scopes: override.scopes ?? scopesOf(operation, options),
      inputSchema: jsonSchema(override.inputSchema?.(schema) ?? schema, { undeclared: 'drop' }),
      ...(output && { outputSchema: output }),
    },
    handler: createHandler({
      request: {
        method,
        path,
        parameters: named,
        defaults: described.defaults,
        body,
        credentials: operation.requirements.flat().flatMap(credentialOf),
        accept: acceptOf(document, operation),
      },
      requirements: operation.requirements,
      baseUrl,
      override,
      output: output && compileSchema(output, 'output'),
      limits,
      fetch: options.fetch,
      callerOf,
    }),
  }
}

/** The parameter of a credential; none for one in `Authorization`. */
function credentialOf({ scheme }: SchemeUse): Pick<Parameter, 'in' | 'name'>[] {
  return scheme.type === 'apiKey' ? [{ in: scheme.in, name: scheme.parameter }] : []
}

function serverOf(
  { servers, place }: CollectedOperation,
  { serverVariables = {} }: OpenAPIOptions,
): string | DescriptionError {
  try {
    return resolveServer(servers.value, servers.place ?? place, serverVariables)
  } catch (error) {
    if (isDescriptionError(error)) return error
    throw error
  }
}

/** A name in the path without a parameter is a required text: many descriptions forget to declare it. */
function completePath({ names }: PathTemplate, declared: readonly Parameter[]): Parameter[] {
  const isUsed = ({ in: at, name }: Parameter) => at !== 'path' || names.includes(name)
  const known = new Set(declared.filter(({ in: at }) => at === 'path').map(({ name }) => name))
  const missing = [...new Set(names)].filter((name) => !known.has(name))
  const implied = missing.map(
    (name): Parameter => ({
      name,
      in: 'path',
      required: true,
      serialization: { style: 'simple', explode: false, allowReserved: false },
      mediaType: undefined,
      schema: { value: { type: 'string' }, place: undefined },
      core: {},
      description: undefined,
      deprecated: false,
      example: undefined,
    }),
  )
  return [...declared.filter(isUsed), ...implied]
}

/** Removes the arguments that an override hides or fixes. */
function withoutArguments(
  described: ConvertedSchema,
  { hidden = [], fixed = {} }: OperationOverride,
  { pointer }: CollectedOperation,
): ConvertedSchema {
  const removed = [...hidden, ...Object.keys(fixed)]
  if (removed.length === 0 || !isJsonObject(described.schema)) return described
  const { properties, required, ...rest } = described.schema
  const known = isJsonObject(properties) ? properties : {}
  const needed = Array.isArray(required) ? required : []
  for (const name of removed) {
    if (!Object.hasOwn(known, name)) {
      throw new TypeError(
        `The operation at ${pointer} has no argument ${JSON.stringify(name)}; it has ${Object.keys(known).join(', ')}`,
      )
    }
    if (needed.includes(name) && hidden.includes(name)) {
      throw new TypeError(
        `The argument ${JSON.stringify(name)} of the operation at ${pointer} is required: give its value in "fixed"`,
      )
    }
  }
  const left = needed.filter((name) => !removed.includes(String(name)))
  const kept = Object.entries(known).filter(([name]) => !removed.includes(name))
  const schema = {
    ...rest,
    properties: Object.fromEntries(kept),
    ...(left.length === 0 ? undefined : { required: left }),
  }
  return { schema, uses: described.uses }
}

/**
 * Directories refuse a tool without a title or a description, so one that has neither has what is known of it. An override
 * that names the replacement says that the tool is deprecated.
 */
function describeOperation(
  name: string,
  { source, method, path }: CollectedOperation,
  { deprecated }: OperationOverride,
  maxLength: number,
) {
  const texts = [source.summary, source.description].filter(
    (text): text is string => typeof text === 'string' && text.trim() !== '',
  )
  const hasSummary = texts.length > 0 && texts[0] === source.summary
  const title = hasSummary ? String(source.summary) : titleOfName(name)
  if (texts.length === 0) texts.push(`${method} ${path}`)
  if (source.deprecated === true && deprecated === undefined) texts.unshift('Deprecated.')
  return {
    title: cut(title, MAX_TITLE_LENGTH),
    description: cut(texts.join('\n\n'), maxLength),
  }
}

/** The members of an override that are settings of a tool. */
function settingsOf({
  title,
  description,
  icons,
  _meta,
  visible,
  deprecated,
  singleUse,
  limitClass,
  timeoutMs,
}: OperationOverride) {
  const access = { visible, deprecated, singleUse, limitClass, timeoutMs }
  return defined({ title, description, icons, _meta, ...access })
}

function scopesOf(operation: CollectedOperation, { scopes = 'none' }: OpenAPIOptions) {
  if (typeof scopes === 'function') return scopes(operation)
  return scopes === 'declared' ? operation.scopes : []
}
