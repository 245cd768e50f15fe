/** Where an author registers tools, resources and prompts. */
import type { Implementation } from '../protocol/content.ts'
import { checkIcons, checkTtl } from './define/checks.ts'
import { definePrompt } from './define/prompt.ts'
import { defineResource, defineTemplate } from './define/resource.ts'
import { defineTool } from './define/tool.ts'
import type {
  Definition,
  DefinitionWarning,
  PromptDefinition,
  ResourceDefinition,
  TemplateDefinition,
  ToolDefinition,
} from './definition.ts'
import type { PromptConfig, PromptHandler } from './prompt.ts'
import type { ReadResource, ReadTemplate, ResourceConfig } from './resource.ts'
import { ResourceTemplate } from './resource-template.ts'
import type { Schema, StandardSchema } from './schema/standard-schema.ts'
import type { ToolConfig, ToolHandler } from './tool.ts'

export interface McpServerOptions {
  /** How a model should use the server; clients put it into its context. */
  readonly instructions?: string
  /** Most items on one page of a list. Default 100. */
  readonly pageSize?: number
  /** Freshness of lists that are the same for everyone, in milliseconds. Default 300 000. */
  readonly listTtlMs?: number
}

/** Longer input schemas make some hosted clients drop the tool without a word. */
const LONGEST_PORTABLE_SCHEMA = 16_384
const LONGEST_PORTABLE_NAME = 64

/** Seals a server and hands its definition to the runtime; not part of the public API. */
export let sealDefinition: <Env>(server: McpServer<Env>) => Definition

/**
 * A server's definition: built once, at module scope, and immutable from the first request on.
 *
 * Registration checks everything it can: a wrong definition throws a `TypeError` that names the
 * tool, resource or prompt and the fault.
 *
 * @typeParam Env the Worker's bindings, as handlers find them in `ctx.env`
 */
export class McpServer<Env = unknown> {
  readonly #info: Implementation
  readonly #options: McpServerOptions
  readonly #tools = new Map<string, ToolDefinition>()
  readonly #prompts = new Map<string, PromptDefinition>()
  readonly #resources = new Map<string, ResourceDefinition>()
  readonly #templates: TemplateDefinition[] = []
  readonly #warnings: DefinitionWarning[] = []
  #sealed: Definition | undefined

  static {
    sealDefinition = (server) => server.#seal()
  }

  constructor(info: Implementation, options: McpServerOptions = {}) {
    if (typeof info?.name !== 'string' || typeof info.version !== 'string') {
      throw new TypeError('McpServer needs { name, version }')
    }
    checkIcons('McpServer', info.icons)
    const { pageSize = 100, listTtlMs = 300_000 } = options
    if (!Number.isSafeInteger(pageSize) || pageSize < 1) {
      throw new TypeError('pageSize must be a whole number of at least 1')
    }
    checkTtl('McpServer', 'listTtlMs', listTtlMs)
    this.#info = info
    this.#options = options
  }

  /** @throws {TypeError} when the tool is malformed or its name is taken */
  registerTool<
    Input extends Schema | undefined = undefined,
    Output extends Schema | undefined = undefined,
  >(
    name: string,
    config: ToolConfig<Input, Output>,
    handler: ToolHandler<Input, Output, Env>,
  ): this {
    this.#assertOpen()
    const tool = defineTool(name, config, handler)
    if (this.#tools.has(name)) throw new TypeError(`Tool "${name}" is already registered`)
    this.#tools.set(name, tool)
    const length = JSON.stringify(tool.info.inputSchema).length
    if (length > LONGEST_PORTABLE_SCHEMA) {
      this.#warn(
        `Tool "${name}"`,
        `inputSchema is ${length} characters; some clients drop a tool above ${LONGEST_PORTABLE_SCHEMA}`,
      )
    }
    if (name.length > LONGEST_PORTABLE_NAME) {
      this.#warn(
        `Tool "${name}"`,
        `the name is longer than ${LONGEST_PORTABLE_NAME}; some clients drop it`,
      )
    }
    return this
  }

  /** @throws {TypeError} when the resource is malformed or its URI is taken */
  registerResource(name: string, uri: string, config: ResourceConfig, read: ReadResource<Env>): this
  registerResource(
    name: string,
    template: ResourceTemplate<Env>,
    config: ResourceConfig,
    read: ReadTemplate<Env>,
  ): this
  registerResource(
    name: string,
    target: string | ResourceTemplate<Env>,
    config: ResourceConfig,
    read: ReadResource<Env> | ReadTemplate<Env>,
  ): this {
    this.#assertOpen()
    if (target instanceof ResourceTemplate) {
      const template = target as ResourceTemplate
      const taken = this.#templates.some(
        ({ info }) => info.uriTemplate === template.uriTemplate.source,
      )
      if (taken) {
        throw new TypeError(
          `Resource template ${template.uriTemplate.source} is already registered`,
        )
      }
      this.#templates.push(defineTemplate(name, template, config, read as ReadTemplate<unknown>))
      return this
    }
    const resource = defineResource(name, target, config, read as ReadResource<unknown>)
    const { href } = new URL(target)
    if (this.#resources.has(target) || this.#resources.has(href)) {
      throw new TypeError(`Resource ${target} is already registered`)
    }
    this.#resources.set(target, resource)
    this.#resources.set(href, resource)
    return this
  }

  /** @throws {TypeError} when the prompt is malformed or its name is taken */
  registerPrompt<Args extends StandardSchema | undefined = undefined>(
    name: string,
    config: PromptConfig<Args, Env>,
    handler: PromptHandler<Args, Env>,
  ): this {
    this.#assertOpen()
    const prompt = definePrompt(name, config as PromptConfig, handler)
    if (this.#prompts.has(name)) throw new TypeError(`Prompt "${name}" is already registered`)
    this.#prompts.set(name, prompt)
    return this
  }

  #warn(subject: string, message: string): void {
    this.#warnings.push({ subject, message })
  }

  #assertOpen(): void {
    if (this.#sealed !== undefined) {
      throw new TypeError('The server is already being served: register everything at module scope')
    }
  }

  #seal(): Definition {
    const { instructions, pageSize = 100, listTtlMs = 300_000 } = this.#options
    this.#sealed ??= {
      info: this.#info,
      instructions,
      pageSize,
      listTtlMs,
      tools: this.#tools,
      prompts: this.#prompts,
      resources: this.#resources,
      templates: this.#templates,
      warnings: this.#warnings,
    }
    return this.#sealed
  }
}
