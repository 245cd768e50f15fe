/** `defineFeature`: a feature of an author, such as an extension of the protocol. */
import { runOf } from '../dispatch/handler-context.ts'
import type { HandlerRun } from '../dispatch/handler-run.ts'
import type { GrantProps } from '../protocol/auth-info.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Context, CoreContext, MembersBy, NoMembers } from '../server/context.ts'
import type { DefaultEnv } from '../server/default-env.ts'
import type { InferArguments, Schema } from '../server/schema/standard-schema.ts'
import type { BroughtBy } from '../server/uses.ts'
import type { WaitUntil } from '../transport/entrance.ts'
import { createFeature } from './create-feature.ts'
import type { AnyFeature, AppContext, Feature, FeatureParts } from './feature.ts'
import { checkFeatureDefinition } from './feature-definition.ts'
import { type FeatureMethod, methodRows } from './feature-methods.ts'
import { reportMissingBindings } from './required-bindings.ts'

/** What a feature brings. Each member is optional but the name. */
export interface FeatureDefinition<
  Name extends string = string,
  Member = never,
  Needs extends readonly AnyFeature[] = readonly AnyFeature[],
> {
  /** Unique in an app, such as `audit`. Letters, digits, and `-` or `_` between them. */
  readonly name: Name
  /**
   * The extension that `capabilities.extensions` declares, from 2025-11-25 on.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/lifecycle#extensions
   */
  readonly extension?: {
    /** With a prefix of your own, such as `com.example/audit`. */
    readonly id: string
    readonly settings?: JsonObject
  }
  /**
   * Methods by name, each made with {@link method}. With an extension they exist where it is declared, otherwise in
   * every revision.
   */
  readonly methods?: Readonly<Record<string, FeatureMethod>>
  /**
   * Creates what {@link DefinedFeature.of} returns, once for each run of a handler that reads it. Its context has the members
   * of the features in `needs`.
   */
  readonly context?: (ctx: Context<DefaultEnv, GrantProps, MembersBy<BroughtBy<Needs>>>) => Member
  /** Handlers by path, such as `/audit/:day` in the form of Hono. The host of each request was checked. */
  readonly routes?: Readonly<Record<string, FeatureRoute>>
  /**
   * Classes of Durable Objects by their bindings, such as `{ AUDIT_LOG: AuditLog }`. The entry of the Worker exports each
   * from the module of the feature. No other feature of the app may have the binding. One that is missing is reported with
   * the first request, and by `edgeway doctor --config`.
   */
  readonly objects?: Readonly<Record<string, FeatureObjectClass>>
  /** Features that the app has with this one, such as `keyring()`. */
  readonly needs?: Needs
}

/** A class that extends `DurableObject` of `cloudflare:workers`. */
export type FeatureObjectClass = abstract new (ctx: DurableObjectState, env: never) => object

export type FeatureRoute = (
  request: Request,
  env: unknown,
  ctx: WaitUntil,
) => Response | Promise<Response>

/** The value for the option `features`. */
export interface DefinedFeature<Name extends string = string, Member = never>
  extends Feature<Name> {
  /**
   * The member of the context that the feature brings.
   *
   * @param ctx of a handler
   * @throws {TypeError} in an app without the feature, and for a feature that brings no member
   */
  of(ctx: Pick<CoreContext, 'request' | 'signal'>): Member
}

/**
 * Defines a feature: `features: [audit]`.
 *
 * @throws {TypeError} for an invalid definition
 */
export function defineFeature<
  const Name extends string,
  Member = never,
  const Needs extends readonly AnyFeature[] = readonly [],
>(definition: FeatureDefinition<Name, Member, Needs>): DefinedFeature<Name, Member> {
  checkFeatureDefinition(definition)
  const { name, context, needs } = definition
  const member: unique symbol = Symbol(name)
  const create = (run: HandlerRun) =>
    context?.(new run.call.deployment.extensions.Context(run) as never)
  const feature = createFeature(
    name,
    (app) =>
      partsOf(
        definition as FeatureDefinition<string, unknown>,
        { [member]: (run: HandlerRun) => run.part(create) },
        app,
      ),
    needs,
  )
  const of = (ctx: object): Member => {
    const run = runOf(ctx)
    if (run === undefined) throw new TypeError(`${name}.of needs the context of a handler`)
    if (context === undefined) throw new TypeError(`${name} brings no member of the context`)
    const { [member as never]: find } = run.call.deployment.extensions.context
    if (find === undefined) throw new TypeError(`${name}.of(ctx) needs features: [${name}]`)
    return (find as (run: HandlerRun) => Member)(run)
  }
  return Object.assign(feature, { of }) as DefinedFeature<Name, Member>
}

function partsOf(
  { name, extension, methods, routes = {}, objects = {} }: FeatureDefinition<string, unknown>,
  context: object,
  { isFree, report }: AppContext,
): FeatureParts {
  const requires = Object.entries(objects).map(([binding, { name: className }]) => ({
    feature: name,
    binding,
    className,
  }))
  return {
    dispatch: {
      context,
      methods: methodRows(methods, extension?.id),
      ...(extension && {
        capabilities: () => ({ extensions: { [extension.id]: extension.settings ?? {} } }),
      }),
    },
    routes: () =>
      Object.entries(routes).map(([path, handle]) => {
        if (isFree(path)) return { path, handle }
        throw new TypeError(`Feature ${name}: the path ${path} is one of this server`)
      }),
    requires,
    checkBindings: (bindings) => reportMissingBindings(requires, bindings, report),
  }
}

export interface MethodOptions<Params extends Schema | undefined> {
  /** The schema of `params` without `_meta`. Params that do not fit are refused with -32602. */
  readonly params?: Params
  /** The scopes that a caller needs. Default: none. */
  readonly scopes?: readonly string[]
}

/**
 * A method of a feature. Its result is an object, without the members that a revision adds.
 *
 * @throws {TypeError} for an invalid schema
 */
export function method<
  const Params extends Schema | undefined = undefined,
  Env = DefaultEnv,
  Members = NoMembers,
>(
  options: MethodOptions<Params>,
  handler: (
    params: Params extends Schema ? InferArguments<Params> : JsonObject,
    ctx: Context<Env, GrantProps, Members>,
  ) => JsonObject | Promise<JsonObject>,
): FeatureMethod {
  return { ...options, handler: handler as unknown as FeatureMethod['handler'] }
}
