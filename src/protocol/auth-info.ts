/** The verified identity of a caller, as handlers receive it in `ctx.auth`. */

/** The default type of props: any JSON object. */
export type GrantProps = { readonly [key: string]: unknown }

/** @typeParam Props the data that the author's hook attaches to a grant */
export interface AuthInfo<Props = GrantProps> {
  /** The person or service that the token was issued for (`sub`). */
  readonly subject: string
  /** The OAuth client that the token was issued to (`client_id`). */
  readonly clientId: string
  readonly scopes: readonly string[]
  /** The issuer of the token (`iss`). The same subject of another issuer is another principal. */
  readonly issuer: string
  /** The resource that the token is valid for (`aud`): the URL of the endpoint. */
  readonly resource: string
  /** The data that the author's `hooks.onIssue` attached to the grant, or its verifier returned. JSON. */
  readonly props?: Props
  /**
   * Changes with each `notify.toolsChanged({ subject })` and its like, so that a factory builds a new
   * definition. Absent before the first one, and on a server without `embedded()`.
   */
  readonly definitionVersion?: string
  /** The credentials as the client sent them, where `verifier()` exposes them. */
  readonly token?: string
}
