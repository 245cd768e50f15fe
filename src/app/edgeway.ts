/** What `createEdgeway` returns: the members of the core, and those that the features bring. */
import type { Hono } from 'hono/tiny'
import type { AnyFeature, FeatureOption } from '../feature/feature.ts'
import type { EdgewayObjectClass } from '../ports/object-class.ts'
import type { BroughtMembers } from '../server/context.ts'
import type { ApiBy, BroughtBy } from '../server/uses.ts'
import type { WaitUntil } from '../transport/entrance.ts'

/** The members that every app has. */
export interface EdgewayCore<Env = unknown> {
  /** The `fetch` handler of the Worker. */
  readonly fetch: (request: Request, env: Env, ctx: WaitUntil) => Response | Promise<Response>
  /**
   * The Durable Object class of the server. The entry of the Worker exports it, and binds it as `MCP_OBJECTS`:
   * `export class McpObjects extends edgeway.Objects {}`. For two servers of one Worker: `objectsOf(one, other)`.
   */
  readonly Objects: EdgewayObjectClass
  /** The app behind `fetch`, to mount in another app or to extend. */
  readonly app: Hono<{ Bindings: Env & object }>
}

type Functions<Api, Env> = {
  readonly [Name in keyof Api]: (env: Env) => Exclude<Api[Name], undefined>
}

/** @typeParam Api what the server uses brings to it */
export type Edgeway<
  Env = unknown,
  Features extends readonly FeatureOption[] = readonly [],
  Api = object,
> = EdgewayCore<Env> & Functions<ApiBy<Features>, Env> & Functions<Api, Env>

/** True for a feature of unknown name, whose type says nothing of what it brings. */
type IsUnknown<Value> = Value extends AnyFeature
  ? string extends Value['name']
    ? true
    : false
  : false

/** Refuses a list of which the compiler does not know the features. */
export type KnownFeatures<Features extends readonly FeatureOption[]> =
  true extends IsUnknown<Features[number]>
    ? {
        readonly features: 'The type Feature does not say what a feature brings. Write the values in the call, or declare the list without a type.'
      }
    : unknown

/** An app whose factory returns servers that use more than the app has: add the value to `features`. */
export interface AddToFeatures<Value extends string> extends Readonly<Record<never, Value>> {}

/** The app of a factory: without members where its servers use a feature that it lacks. */
export type FactoryEdgeway<Env, Members, Features extends readonly FeatureOption[]> = [
  Missing<Members, Features>,
] extends [never]
  ? Edgeway<Env, Features>
  : AddToFeatures<`${Missing<Members, Features>}()`>

/** The names of the features whose members servers have, and an app has not. */
type Missing<Members, Features extends readonly FeatureOption[]> = {
  [Name in keyof BroughtMembers]: [Members] extends [BroughtMembers[Name]]
    ? Name extends BroughtBy<Features>
      ? never
      : Name
    : never
}[keyof BroughtMembers]
