/** Places where a feature takes parts of others. The feature declares one, and those that depend on it extend it. */

export class ExtensionPoint<T> {
  /** The part of a feature for this place. */
  with(value: T): Extension {
    return { point: this, value }
  }

  /** The parts for this place, in the order of their features. */
  of(extensions: readonly Extension[]): readonly T[] {
    // `with` is the only way to an extension of this place.
    return extensions.filter(({ point }) => point === this).map(({ value }) => value as T)
  }
}

export interface Extension {
  readonly point: object
  readonly value: unknown
}
