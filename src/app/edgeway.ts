/** What `createEdgeway` returns: the members of the core, and those that the features bring. */
import type { Hono } from 'hono/tiny'
import type { AnyFeature, Feature, FeatureOption } from '../feature/feature.ts'
import type { EdgewayObjectClass } from '../ports/object-class.ts'
import type { BroughtBy, UsedValue } from '../server/uses.ts'
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

/** The features of a tuple that are passed in any case. */
type Always<Features extends readonly UsedValue[]> = Features extends readonly [
  infer First,
  ...infer Rest extends readonly UsedValue[],
]
  ? Certain<First> | Always<Rest>
  : never

/** The feature itself; never for a union, which a condition decides, and for a feature of unknown name. */
type Certain<Value, Whole = Value> = Value extends AnyFeature
  ? [Whole] extends [Value]
    ? string extends Value['name']
      ? never
      : Value
    : never
  : never

type ApiOf<F> = F extends Feature<string, infer Api, string> ? Api : never

type Intersection<U> = (U extends unknown ? (member: U) => void : never) extends (
  member: infer I,
) => void
  ? I
  : object

type Functions<Api, Env> = { readonly [Name in keyof Api]: (env: Env) => Api[Name] }

/** What features bring: members of features that are passed by a condition are optional. */
export type Brought<Features extends readonly UsedValue[], Env> = Functions<
  Intersection<ApiOf<Always<Features>>>,
  Env
> &
  Partial<Functions<Intersection<ApiOf<Features[number]>>, Env>>

export type Edgeway<
  Env = unknown,
  Features extends readonly UsedValue[] = readonly [],
> = EdgewayCore<Env> & Brought<Features, Env>

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
export type FactoryEdgeway<
  Env,
  Used extends readonly UsedValue[],
  Features extends readonly FeatureOption[],
> = [Missing<Used, Features>] extends [never]
  ? Edgeway<Env, Features>
  : AddToFeatures<`${Missing<Used, Features>}()`>

type Missing<Used extends readonly UsedValue[], Features extends readonly UsedValue[]> = Exclude<
  BroughtBy<Used>,
  BroughtBy<Features>
>
