/**
 * What the SDK returns from a registration: an object that changes it. It can be changed until the server
 * is served, because a definition serves many clients and must not change for all of them.
 */
import type { Icon, ListedFields, Meta } from '../../../src/protocol/content.ts'
import type {
  CallToolResult,
  GetPromptResult as PromptResult,
  ReadResourceResult as ReadResult,
  ToolAnnotations,
} from '../../../src/protocol/primitives.ts'
import type { ToolDeprecation } from '../../../src/server/tool.ts'
import type { CompleteCallback } from './completable.ts'
import type { HandlerExtra } from './extra.ts'
import type { InputRequiredResult } from './input-required.ts'
import { notCarried } from './not-carried.ts'
import type { ResourceTemplate, Variables } from './resource-template.ts'
import type { AnySchema, ArgumentsOf, ZodRawShape } from './schema.ts'
import type { RequiredScopes, ScopeChallengeHandler } from './scopes.ts'
import type { GetPromptResult, ReadResourceResult, ResourceMetadata } from './types.ts'

export type { CompleteCallback }

/** What a handler returns. */
export type CallbackResult<T> = T | InputRequiredResult | Promise<T | InputRequiredResult>
/** The schemas of arguments that the SDK accepts. */
export type Arguments = ZodRawShape | AnySchema | undefined

/** The handler of a tool: `(args, extra)` with an input schema, `(extra)` without. */
export type ToolCallback<Args extends Arguments = undefined> = Args extends undefined
  ? (extra: HandlerExtra) => CallbackResult<CallToolResult>
  : (args: ArgumentsOf<Args>, extra: HandlerExtra) => CallbackResult<CallToolResult>

/** The handler of a prompt: `(args, extra)` with a schema of arguments, `(extra)` without. */
export type PromptCallback<Args extends Arguments = undefined> = Args extends undefined
  ? (extra: HandlerExtra) => CallbackResult<GetPromptResult | PromptResult>
  : (args: ArgumentsOf<Args>, extra: HandlerExtra) => CallbackResult<GetPromptResult | PromptResult>

export type ReadResourceCallback = (
  uri: URL,
  extra: HandlerExtra,
) => CallbackResult<ReadResourceResult | ReadResult>

export type ReadResourceTemplateCallback = (
  uri: URL,
  variables: Variables,
  extra: HandlerExtra,
) => CallbackResult<ReadResourceResult | ReadResult>

/** A handler whose types are erased: the registration has checked them. */
export type ErasedHandler = (...args: never[]) => unknown

/** The registrations of one kind, by their key. */
export class Registrations<R> {
  readonly entries = new Map<string, R>()
  readonly #kind: string
  readonly #isServed: () => boolean

  constructor(kind: string, isServed: () => boolean) {
    this.#kind = kind
    this.#isServed = isServed
  }

  /** @throws {Error} for a key that is already registered, and when the server is served */
  add(key: string, registration: R): R {
    this.assertOpen()
    this.assertNew(key)
    this.entries.set(key, registration)
    return registration
  }

  assertNew(key: string): void {
    if (this.entries.has(key)) throw new Error(`${this.#kind} ${key} is already registered`)
  }

  assertOpen(): void {
    if (!this.#isServed()) return
    throw notCarried(
      `A ${this.#kind.toLowerCase()} was registered or changed while the server is served: other callers would see it.`,
      'registrations-that-change',
    )
  }
}

/** The part that all registrations share. */
export abstract class Registered<R> {
  enabled = true
  readonly #registrations: Registrations<R>
  #key: string

  constructor(registrations: Registrations<R>, key: string, fields: Partial<R>) {
    this.#registrations = registrations
    this.#key = key
    Object.assign(this, fields)
  }

  enable(): void {
    this.change(undefined, { enabled: true })
  }

  disable(): void {
    this.change(undefined, { enabled: false })
  }

  remove(): void {
    this.change(null, {})
  }

  /** @param key the new key; null removes the registration */
  protected change(key: string | null | undefined, fields: object): void {
    const { entries } = this.#registrations
    this.#registrations.assertOpen()
    const moves = key !== undefined && key !== this.#key
    if (moves && key !== null) this.#registrations.assertNew(key)
    for (const [field, value] of Object.entries(fields)) {
      if (value !== undefined) Reflect.set(this, field, value)
    }
    if (!moves) return
    entries.delete(this.#key)
    if (key === null) return
    this.#key = key
    // The registration is of the class that was added under its first key.
    entries.set(key, this as unknown as R)
  }
}

/** The changes that every `update` accepts. */
export interface RegistrationChanges<Callback> {
  callback?: Callback
  enabled?: boolean
}

/** The changes that the `update` of a resource and of a template accepts. */
export interface ResourceChanges<Callback> extends RegistrationChanges<Callback> {
  title?: string
  metadata?: ResourceMetadata
}

export interface ToolConfig extends ListedFields, RequiredScopes {
  inputSchema?: object
  outputSchema?: object
  annotations?: ToolAnnotations
  deprecated?: ToolDeprecation
  /** Of a tool of `experimental.tasks`. */
  task?: 'optional' | 'required'
}

export class RegisteredTool extends Registered<RegisteredTool> implements ToolConfig {
  declare title?: string
  declare description?: string
  declare inputSchema?: object
  declare outputSchema?: object
  declare annotations?: ToolAnnotations
  declare icons?: readonly Icon[]
  declare _meta?: Meta
  declare deprecated?: ToolDeprecation
  declare task?: 'optional' | 'required'
  declare scopes?: readonly string[]
  declare scopeChallenge?: ScopeChallengeHandler
  declare handler: ErasedHandler

  update({
    name,
    paramsSchema,
    callback,
    ...fields
  }: Omit<ToolConfig, 'inputSchema'> &
    RegistrationChanges<ErasedHandler> & { name?: string | null; paramsSchema?: object }): void {
    this.change(name, { ...fields, inputSchema: paramsSchema, handler: callback })
  }
}

export interface PromptConfig extends ListedFields, RequiredScopes {
  argsSchema?: object
}

export class RegisteredPrompt extends Registered<RegisteredPrompt> implements PromptConfig {
  declare title?: string
  declare description?: string
  declare argsSchema?: object
  declare icons?: readonly Icon[]
  declare _meta?: Meta
  declare scopes?: readonly string[]
  declare scopeChallenge?: ScopeChallengeHandler
  declare callback: ErasedHandler

  update({
    name,
    ...fields
  }: PromptConfig & RegistrationChanges<ErasedHandler> & { name?: string | null }): void {
    this.change(name, fields)
  }
}

/** The key is the URI. */
export class RegisteredResource extends Registered<RegisteredResource> {
  declare name: string
  declare metadata: ResourceMetadata
  declare readCallback: ErasedHandler

  update({
    uri,
    callback,
    title,
    metadata = this.metadata,
    ...fields
  }: ResourceChanges<ReadResourceCallback> & { name?: string; uri?: string | null }): void {
    this.change(uri, { ...fields, metadata: titled(metadata, title), readCallback: callback })
  }
}

/** The key is the name. */
export class RegisteredResourceTemplate extends Registered<RegisteredResourceTemplate> {
  declare resourceTemplate: ResourceTemplate
  declare metadata: ResourceMetadata
  declare readCallback: ErasedHandler

  update({
    name,
    template,
    callback,
    title,
    metadata = this.metadata,
    ...fields
  }: ResourceChanges<ReadResourceTemplateCallback> & {
    name?: string | null
    template?: ResourceTemplate
  }): void {
    this.change(name, {
      ...fields,
      metadata: titled(metadata, title),
      resourceTemplate: template,
      readCallback: callback,
    })
  }
}

function titled(metadata: ResourceMetadata, title: string | undefined): ResourceMetadata {
  return title === undefined ? metadata : { ...metadata, title }
}
