/** The values that a server uses: features that bring members of the context. */

/** Have what a value brings, for the compiler alone: declarations have no internal members. */
declare const BRINGS: unique symbol
declare const BROUGHT: unique symbol

/**
 * A value for `uses` of `createServer`.
 *
 * @typeParam Brings the names of the features whose members the context has with it
 * @typeParam Api the members that it brings to `edgeway`, each a function of the environment
 */
export interface ContextSource<Brings extends string = string, Api extends object = object> {
  readonly name: string
  readonly [BRINGS]: Brings
  readonly [BROUGHT]: Api
}

/** A value, or what a condition leaves of one: `isOwner && state()`. */
export type UsedValue = ContextSource | false | null | undefined

/** The names that values bring: with `?` those that a condition decides. None of a value of unknown type. */
export type BroughtBy<Used extends readonly UsedValue[]> = {
  readonly [Index in keyof Used]: Used[Index] extends ContextSource<infer Brings>
    ? Known<Brings>
    : Used[Index] extends ContextSource<infer Brings> | false | null | undefined
      ? `${Known<Brings>}?`
      : never
}[number]

type Known<Brings extends string> = string extends Brings ? never : Brings

/** The values of a tuple that are passed in any case. */
type Always<Used extends readonly UsedValue[]> = Used extends readonly [
  infer First,
  ...infer Rest extends readonly UsedValue[],
]
  ? Certain<First> | Always<Rest>
  : never

/** The value itself; never for a union, which a condition decides, and for a value of unknown name. */
type Certain<Value, Whole = Value> = Value extends ContextSource
  ? [Whole] extends [Value]
    ? string extends Value['name']
      ? never
      : Value
    : never
  : never

type ApiOf<Value> = Value extends ContextSource<string, infer Api> ? Api : never

type Intersection<U> = (U extends unknown ? (member: U) => void : never) extends (
  member: infer I,
) => void
  ? I
  : object

/** What values bring to `edgeway`: members of values that are passed by a condition are optional. */
export type ApiBy<Used extends readonly UsedValue[]> = Intersection<ApiOf<Always<Used>>> &
  Partial<Intersection<ApiOf<Used[number]>>>
