/** What the list says of a deprecated tool. */

/** The member of the `_meta` of a deprecated tool: a {@link Deprecation}. */
export const DEPRECATED_META = 'edgeway/deprecated'

export interface Deprecation {
  /** The name of the tool that replaces it. */
  readonly use: string
  /** The last day on which the tool is certain to answer: `YYYY-MM-DD`. */
  readonly until: string
}

/** The beginning of the description of a deprecated tool. */
export const deprecationText = ({ use, until }: Deprecation): string =>
  `Deprecated, removed after ${until}: use ${use} instead.`
