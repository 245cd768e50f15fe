/** Translates the registrations of the SDK to those of the main entry. */
import type { Icon } from '../../../src/protocol/content.ts'
import type { Context, FullContext } from '../../../src/server/context.ts'
import { defined } from '../../../src/server/define/checks.ts'
import { addWarning, type McpServer } from '../../../src/server/mcp-server.ts'
import type { PromptArguments, PromptReturn } from '../../../src/server/prompt.ts'
import type { ResourceConfig, ResourceReturn } from '../../../src/server/resource.ts'
import { type CompleteCallback, completionOf } from './completable.ts'
import { methodError, toolError } from './errors.ts'
import { createExtra } from './extra.ts'
import { loadableIcons } from './icons.ts'
import type { VerifyState } from './input-required.ts'
import type {
  ErasedHandler,
  RegisteredPrompt,
  RegisteredResource,
  RegisteredResourceTemplate,
  RegisteredTool,
} from './registrations.ts'
import { runRounds } from './rounds.ts'
import { membersOf, toSchema, toToolSchema } from './schema.ts'
import { scopesOf } from './scopes.ts'
import type { CallToolResult, ResourceMetadata } from './types.ts'

export interface Translation {
  readonly tools: ReadonlyMap<string, RegisteredTool>
  readonly prompts: ReadonlyMap<string, RegisteredPrompt>
  readonly resources: ReadonlyMap<string, RegisteredResource>
  readonly templates: ReadonlyMap<string, RegisteredResourceTemplate>
  readonly verifyState: VerifyState | undefined
}

/** @throws {TypeError} for a registration that the main entry does not accept */
export function translate(
  server: McpServer,
  { tools, prompts, resources, templates, verifyState }: Translation,
): void {
  const target: Target = {
    server,
    call: async (ctx, handler, args, translateError) => {
      try {
        return await runRounds(ctx, verifyState, (extra) =>
          (handler as (...args: unknown[]) => unknown)(...args, extra),
        )
      } catch (error) {
        throw translateError(error)
      }
    },
    iconsOf: (subject, icons) =>
      loadableIcons(subject, icons, (warning) => addWarning(server, warning)),
  }
  for (const [name, tool] of tools) if (tool.enabled) translateTool(target, name, tool)
  for (const [name, prompt] of prompts) if (prompt.enabled) translatePrompt(target, name, prompt)
  for (const [uri, resource] of resources)
    if (resource.enabled) translateResource(target, uri, resource)
  for (const [name, template] of templates)
    if (template.enabled) translateTemplate(target, name, template)
}

/** The server of the main entry, and what every translation needs. */
interface Target {
  readonly server: McpServer
  /** Calls a handler with the leading arguments and `extra`. */
  readonly call: (
    ctx: FullContext,
    handler: ErasedHandler,
    args: readonly unknown[],
    translateError: (error: unknown) => unknown,
  ) => Promise<unknown>
  readonly iconsOf: (
    subject: string,
    icons: readonly Icon[] | undefined,
  ) => ReturnType<typeof loadableIcons>
}

function translateTool({ server, call, iconsOf }: Target, name: string, tool: RegisteredTool) {
  const { title, description, annotations, icons, _meta, deprecated, task } = tool
  // The SDK takes null for no schema.
  const inputSchema = tool.inputSchema ?? undefined
  const outputSchema = tool.outputSchema ?? undefined
  const schemaOf = (member: string, schema: object | undefined) =>
    schema === undefined ? undefined : toToolSchema(`Tool "${name}": ${member}`, schema)
  const run = async (args: readonly unknown[], ctx: FullContext) => {
    const returned = await call(ctx, tool.handler, args, toolError)
    return toResult(name, outputSchema !== undefined, returned)
  }
  const config = defined({
    title,
    description,
    annotations,
    icons: iconsOf(`Tool "${name}"`, icons),
    _meta,
    deprecated,
    task,
    scopes: scopesOf(`Tool "${name}"`, tool),
    inputSchema: schemaOf('inputSchema', inputSchema),
    outputSchema: schemaOf('outputSchema', outputSchema),
  })
  // With a schema the main entry passes the arguments first, as the SDK does.
  server.registerTool(name, config, (...args: unknown[]) =>
    run(args.slice(0, -1), args.at(-1) as FullContext),
  )
}

function translatePrompt(
  { server, call, iconsOf }: Target,
  name: string,
  prompt: RegisteredPrompt,
) {
  const { title, description, argsSchema, icons, _meta, callback } = prompt
  const schema =
    argsSchema === undefined ? undefined : toSchema(`Prompt "${name}": argsSchema`, argsSchema)
  const config = defined({
    title,
    description,
    icons: iconsOf(`Prompt "${name}"`, icons),
    _meta,
    argsSchema: schema as PromptArguments | undefined,
    scopes: scopesOf(`Prompt "${name}"`, prompt),
    complete: completionsOf(argsSchema),
  })
  const run = (...args: unknown[]) =>
    call(
      args.at(-1) as FullContext,
      callback,
      args.slice(0, -1),
      methodError,
    ) as Promise<PromptReturn>
  server.registerPrompt(name, config, run)
}

function translateResource(
  { server, call, iconsOf }: Target,
  uri: string,
  { name, metadata, readCallback }: RegisteredResource,
) {
  const config = { ...metadata, icons: iconsOf(`Resource "${name}"`, metadata.icons) }
  server.registerResource(
    name,
    uri,
    resourceConfig(`Resource "${name}"`, config),
    (url, ctx) =>
      call(ctx as FullContext, readCallback, [url], methodError) as Promise<ResourceReturn>,
  )
}

function translateTemplate(
  { server, call, iconsOf }: Target,
  name: string,
  { resourceTemplate, metadata: resourceMetadata, readCallback }: RegisteredResourceTemplate,
) {
  const { uriTemplate, listCallback } = resourceTemplate
  const callbacks = uriTemplate.variableNames.flatMap((variable) => {
    const complete = resourceTemplate.completeCallback(variable)
    return complete === undefined ? [] : [[variable, toComplete(complete)] as const]
  })
  const icons = iconsOf(`Resource template "${name}"`, resourceMetadata.icons)
  const metadata = defined({ ...resourceMetadata, icons })
  const { cacheHint: _, scopes: __, scopeChallenge: ___, ...shown } = metadata
  const list =
    listCallback &&
    (async (ctx: Context<unknown>) => {
      const { resources: listed } = await listCallback(createExtra(ctx as FullContext))
      return { resources: listed.map((resource) => ({ ...shown, ...resource })) }
    })
  const template = resourceTemplate.toTemplate({ list, complete: Object.fromEntries(callbacks) })
  server.registerResource(
    name,
    template,
    resourceConfig(`Resource template "${name}"`, metadata),
    (url, variables, ctx) =>
      call(
        ctx as FullContext,
        readCallback,
        [url, { ...variables }],
        methodError,
      ) as Promise<ResourceReturn>,
  )
}

/** The return value of a tool, with the checks of the SDK on its structured content. */
function toResult(name: string, hasOutput: boolean, returned: unknown): CallToolResult {
  if (typeof returned !== 'object' || returned === null)
    return returned as unknown as CallToolResult
  const result = { content: [], ...returned } as CallToolResult
  if (hasOutput && result.isError !== true && result.structuredContent === undefined) {
    throw new Error(
      `Output validation error: Tool ${name} has an output schema but no structured content was provided`,
    )
  }
  return result
}

function resourceConfig(
  subject: string,
  { cacheHint, ...metadata }: ResourceMetadata,
): ResourceConfig {
  const { title, description, mimeType, size, annotations, icons, _meta } = metadata
  const shown = { title, description, mimeType, size, annotations, icons, _meta }
  return defined({ ...shown, scopes: scopesOf(subject, metadata), ...cacheHint })
}

function toComplete(complete: CompleteCallback) {
  return async (
    value: string,
    { arguments: args }: { readonly arguments: { readonly [name: string]: string } },
  ) => {
    try {
      return await complete(value, { arguments: { ...args } })
    } catch (error) {
      throw methodError(error)
    }
  }
}

function completionsOf(argsSchema: object | undefined) {
  if (argsSchema === undefined) return undefined
  const found = membersOf(argsSchema).flatMap(([name, schema]) => {
    const complete = completionOf(schema)
    return complete === undefined ? [] : [[name, toComplete(complete)] as const]
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}
