/** Reads the values of features that an author passes. A caller without types may pass anything. */

/** The option that the values belong to. */
export interface FeatureOptionKind {
  /** The name of the option, for errors. */
  readonly option: string
  /** Values of it, for errors. */
  readonly examples: string
  /** The member by which its values are recognised. */
  readonly symbol: symbol
}

/** @throws {TypeError} for two values of one feature, and as {@link featureOf} does */
export function readFeatures<F extends { readonly name: string }>(
  values: readonly unknown[],
  kind: FeatureOptionKind,
): Map<string, F> {
  const features = new Map<string, F>()
  for (const value of values) {
    if (value === undefined || value === null || value === false) continue
    const feature = featureOf<F>(value, kind)
    if (features.has(feature.name)) {
      throw new TypeError(`${kind.option}: ${feature.name}() is passed twice`)
    }
    features.set(feature.name, feature)
  }
  return features
}

/** @throws {TypeError} for anything else, and for a value of another copy of the package */
export function featureOf<F>(value: unknown, { option, examples, symbol }: FeatureOptionKind): F {
  if (typeof value === 'object' && value !== null && symbol in value) return value as F
  if (typeof value === 'function') {
    throw new TypeError(`${option}: ${value.name} is a function. Pass its value: ${value.name}()`)
  }
  const { name } = (value ?? {}) as { readonly name?: unknown }
  const isForeign =
    typeof value === 'object' &&
    value !== null &&
    Object.getOwnPropertySymbols(value).some(
      ({ description }) => description === symbol.description,
    )
  throw new TypeError(
    isForeign
      ? `${option}: ${String(name)}() comes from another copy of the package edgeway. Install it once`
      : `${option} must be a list of values like ${examples}`,
  )
}
