/**
 * The options of `serverCard()`. Name, version, title, website and icons are those of the definition.
 *
 * A second place for them would be a second truth. `name` is the exception, because directories need a domain in it,
 * and so is `description`, which they bound to 100 characters.
 */

/**
 * A value that a person gives to connect.
 *
 * @see https://github.com/modelcontextprotocol/experimental-ext-server-card
 */
export interface CardInput {
  readonly description?: string
  readonly isRequired?: boolean
  /** A secret input has no default, no choices and no fixed value, because everyone can read the card. */
  readonly isSecret?: boolean
  readonly format?: 'string' | 'number' | 'boolean' | 'filepath'
  readonly default?: string
  readonly placeholder?: string
  /** A fixed value. In a header it may contain `{name}` of its variables. */
  readonly value?: string
  readonly choices?: readonly string[]
}

/** A header that clients send to the endpoint. A server with OAuth needs none: clients find it by the 401. */
export interface CardHeader extends CardInput {
  readonly name: string
  readonly variables?: Readonly<Record<string, CardInput>>
}

export interface CardRepository {
  /** The `https:` URL that people open and `git clone` takes. */
  readonly url: string
  /** The service, such as `github`. */
  readonly source: string
  /** The folder of the server in the repository. */
  readonly subfolder?: string
  /** The id that the service has given to the repository. */
  readonly id?: string
}

/** The operator of the catalogue. */
export interface CatalogHost {
  readonly displayName: string
  readonly identifier?: string
  readonly documentationUrl?: string
  readonly logoUrl?: string
}

export interface ServerCardOptions {
  /**
   * The name in directories: the reverse of a domain of yours, a slash and the name of the server, such as
   * `com.example/notes` or `io.github.your-account/notes`. At most 200 characters.
   */
  readonly name: string
  /** 1 to 100 characters. Default: the description of the server. */
  readonly description?: string
  /** Where the source of the server is. */
  readonly repository?: CardRepository
  /** The params of the paths, such as `{org}`, for people. */
  readonly variables?: Readonly<Record<string, Omit<CardInput, 'isRequired' | 'value'>>>
  /** Headers that a client sends to the endpoint besides those of authorization. Default: none. */
  readonly headers?: readonly CardHeader[]
  /** Of the entry in the catalogue. Default: `urn:air:example.com:mcp:notes` for the name `com.example/notes`. */
  readonly identifier?: string
  /** Of the entry in the catalogue. */
  readonly tags?: readonly string[]
  /** The operator, for the catalogue. */
  readonly host?: CatalogHost
  /** Data of yours in the card, under names with a prefix: `com.example/plan`. */
  readonly _meta?: Readonly<Record<string, unknown>>
}
