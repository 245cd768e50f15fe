/** The values that a server uses: features that bring members of the context. */

/** Has the names of what a value brings, for the compiler alone: declarations have no internal members. */
declare const BRINGS: unique symbol

/**
 * A value for `uses` of `createServer`.
 *
 * @typeParam Brings the names of the features whose members the context has with it
 */
export interface ContextSource<Brings extends string = string> {
  readonly name: string
  readonly [BRINGS]: Brings
}

/** A value, or what a condition leaves of one: `isOwner && state()`. */
export type UsedValue = ContextSource | false | null | undefined

/** The names that values bring: with `?` those that a condition decides. */
export type BroughtBy<Used extends readonly UsedValue[]> = {
  readonly [Index in keyof Used]: Used[Index] extends ContextSource<infer Brings>
    ? Brings
    : Used[Index] extends ContextSource<infer Brings> | false | null | undefined
      ? `${Brings}?`
      : never
}[number]
