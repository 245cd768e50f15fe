/** `prepareOpenAPI` reads a description once; servers for callers are then built from it at little cost. */
import type { GrantProps } from '../../../src/protocol/auth-info.ts'
import { isJsonObject } from '../../../src/protocol/json.ts'
import type { FullContext } from '../../../src/server/context.ts'
import { McpServer } from '../../../src/server/mcp-server.ts'
import { announceSecrets } from './announce-secrets.ts'
import { type Caller, createCaller } from './caller.ts'
import { compileOperation } from './compile-operation.ts'
import { type DescriptionError, isDescriptionError } from './document/description-error.ts'
import { OpenAPIDocument } from './document/document.ts'
import type { OpenAPIOperation } from './document/operation.ts'
import { createFilter } from './document/operation-filter.ts'
import {
  type CollectedOperation,
  collectOperations,
  type SkippedPart,
} from './document/operations.ts'
import { pathWarning } from './document/path-warning.ts'
import { readSecuritySchemes } from './document/security.ts'
import { uniqueName } from './document/tool-names.ts'
import { type CallerOptions, type OpenAPIOptions, resolveLimits } from './options.ts'
import type { Pruning } from './schema/fit-schema.ts'
import { SchemaConverter } from './schema/schema-converter.ts'

/** An operation that became a tool. */
export interface ServedOperation extends OpenAPIOperation {
  /** The URL in front of the path, from the description. Undefined if the description has none. */
  readonly baseUrl: string | undefined
  /** What was removed from the input schema so that it is at most `maxSchemaLength` long. */
  readonly pruning: Pruning
}

/** A description that was read, checked and converted. */
export interface PreparedOpenAPI<Env = unknown, Props = GrantProps> {
  /** The operations that are tools, in the order of the description. `name` is the name of the tool. */
  readonly operations: readonly ServedOperation[]
  /** What cannot be served, with its place and the reason. Empty unless `onUnsupported` is `skip`. */
  readonly skipped: readonly SkippedPart[]
  /** What is served, and probably not as the author of the description meant it. Also written to the console. */
  readonly warnings: readonly string[]
  /**
   * Returns a new server with the tools. It costs little, so that a factory can call it for each caller.
   *
   * @param caller replaces the options of the same names
   */
  server(caller?: CallerOptions<Env, Props>): McpServer<Env, Props>
}

/** Maximum number of faults that one error lists. */
const MAX_LISTED = 10

/**
 * Reads an OpenAPI description of version 3.0 or 3.1, which is not changed. References must point into
 * the document: nothing is fetched.
 *
 * @param document the parsed JSON
 * @throws {TypeError} for another version, malformed options, and operations that cannot be served, with
 *   the place of each fault as a JSON pointer
 * @see https://spec.openapis.org/oas/v3.1.1
 */
export function prepareOpenAPI<Env = unknown, Props = GrantProps>(
  document: object,
  options: OpenAPIOptions<Env, Props> = {},
): PreparedOpenAPI<Env, Props> {
  // What the author typed is passed as the runtime has it.
  const settings = options as OpenAPIOptions
  const { onUnsupported = 'throw' } = settings
  if (onUnsupported !== 'throw' && onUnsupported !== 'skip') {
    throw new TypeError('onUnsupported must be "throw" or "skip"')
  }
  const description = new OpenAPIDocument(document)
  const schemes = readSecuritySchemes(description)
  const skipped: SkippedPart[] = []
  const skip = (operation: string, error: unknown, pointer: string) => {
    const { message } = error as TypeError
    skipped.push({ operation, pointer, reason: message })
  }
  const collected = collectOperations(description, schemes, (operation, error) =>
    skip(operation, error, error.pointer),
  )
  const overrides = createOverrides(settings, collected)
  const chosen = collected.filter(createChoice(settings, overrides))

  const common = createCaller(settings, schemes)
  const callers = new WeakMap<FullContext, Caller>()
  const shared = {
    document: description,
    schemes,
    inputs: new SchemaConverter(description, 'input'),
    outputs: new SchemaConverter(description, 'output'),
    options: settings,
    limits: resolveLimits(settings),
    callerOf: (ctx: FullContext) => callers.get(ctx) ?? common,
  }
  const info = infoOf(description, settings)
  const base = new McpServer(info)
  const operations: ServedOperation[] = []
  const names = new Set<string>()
  let serverFault: DescriptionError | undefined
  for (const operation of chosen) {
    const override = overrides.get(operation)
    try {
      const tool = compileOperation(operation, override ?? {}, shared)
      const name = uniqueName(tool.name, (one) => names.has(one))
      base.registerTool(name, tool.config, (args, ctx) => tool.handler(args, ctx as FullContext))
      names.add(name)
      serverFault ??= tool.serverFault
      const { baseUrl, pruning } = tool
      operations.push({ ...describe(operation), name, baseUrl, pruning })
    } catch (error) {
      const isFault = isDescriptionError(error)
      // Without an override the description is at fault: for example a schema that never ends.
      if (!isFault && (!(error instanceof TypeError) || override !== undefined)) throw error
      const pointer = isFault ? error.pointer : operation.pointer
      skip(`${operation.method} ${operation.path}`, error, pointer)
    }
  }
  if (onUnsupported === 'throw' && skipped.length > 0) throw new TypeError(describeSkipped(skipped))
  const warnings = operations.flatMap((operation) => pathWarning(operation) ?? [])
  if (warnings.length > 0) {
    // biome-ignore lint/suspicious/noConsole: the console is where a Worker's log goes
    console.warn(`OpenAPI:\n${listed(warnings)}`)
  }
  const { instructions } = settings
  const hasCredentials = chosen.some(({ requirements }) => requirements.flat().length > 0)
  return {
    operations,
    skipped,
    warnings,
    server: (caller) => {
      const hasUrl = (caller?.baseUrl ?? options.baseUrl) !== undefined
      if (serverFault !== undefined && !hasUrl) throw serverFault
      const server = new McpServer(info, instructions === undefined ? {} : { instructions })
      const own = caller === undefined ? common : createCaller({ ...options, ...caller }, schemes)
      if (hasCredentials) announceSecrets(own.secretNames)
      if (own !== common) {
        // The handlers are shared by all callers, so they find the options by the context of the call.
        server.use(({ ctx }, next) => {
          callers.set(ctx as FullContext, own)
          return next()
        })
      }
      return server.include(base) as unknown as McpServer<Env, Props>
    },
  }
}

/**
 * Returns a server with one tool for each operation of an OpenAPI description: {@link prepareOpenAPI} for
 * a server that is the same for every caller. To add the tools to another server: `server.include(…)`.
 *
 * @throws {TypeError} as {@link prepareOpenAPI} does
 */
export function fromOpenAPI<Env = unknown, Props = GrantProps>(
  document: object,
  options: OpenAPIOptions<Env, Props> = {},
): McpServer<Env, Props> {
  return prepareOpenAPI(document, options).server()
}

function describe(operation: CollectedOperation): OpenAPIOperation {
  const { place: _, parameters: __, servers: ___, requirements: ____, ...shown } = operation
  return shown
}

type Overrides = ReadonlyMap<
  CollectedOperation,
  NonNullable<NonNullable<OpenAPIOptions['operations']>[string]>
>

/** @throws {TypeError} for a key that names no operation */
function createOverrides(
  { operations = {} }: OpenAPIOptions,
  collected: readonly CollectedOperation[],
): Overrides {
  return new Map(
    Object.entries(operations).map(([key, override]) => {
      const found = collected.find(
        ({ operationId, method, path }) => key === operationId || key === `${method} ${path}`,
      )
      if (found !== undefined) return [found, override]
      throw new TypeError(
        `operations: the description has no operation ${JSON.stringify(key)}; use an operationId, or a method and a path such as "GET /pets"`,
      )
    }),
  )
}

function createChoice(
  { include, exclude, deprecated = false }: OpenAPIOptions,
  overrides: Overrides,
): (operation: CollectedOperation) => boolean {
  const isIncluded = include === undefined ? () => true : createFilter('include', include)
  const isExcluded = exclude === undefined ? () => false : createFilter('exclude', exclude)
  return (operation) =>
    overrides.get(operation)?.skip !== true &&
    (deprecated || !operation.deprecated) &&
    isIncluded(operation) &&
    !isExcluded(operation)
}

function infoOf({ root }: OpenAPIDocument, { name, version }: OpenAPIOptions) {
  const info = isJsonObject(root.info) ? root.info : {}
  const title = typeof info.title === 'string' ? info.title.trim() : ''
  const slug = title.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return {
    name: name ?? (slug.replace(/^-/, '').replace(/-$/, '') || 'openapi'),
    version: version ?? (typeof info.version === 'string' ? info.version : '0.0.0'),
    ...(title === '' ? undefined : { title }),
  }
}

function describeSkipped(skipped: readonly SkippedPart[]): string {
  return [
    `${skipped.length} of the operations cannot be served:`,
    listed(skipped.map(({ operation, reason }) => `${operation}: ${reason}`)),
    'Leave them out with "exclude", or skip all of them with onUnsupported: "skip".',
  ].join('\n')
}

function listed(texts: readonly string[]): string {
  const lines = texts.slice(0, MAX_LISTED).map((text) => `- ${text}`)
  if (texts.length > MAX_LISTED) lines.push(`- and ${texts.length - MAX_LISTED} more`)
  return lines.join('\n')
}
