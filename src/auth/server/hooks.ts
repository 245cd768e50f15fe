/** Where an author has a word in what tokens say. */
import type { JsonObject } from '../../protocol/json.ts'

export interface IssueEvent {
  readonly subject: string
  readonly client: { readonly id: string; readonly name: string | undefined }
  readonly scopes: readonly string[]
  readonly resource: string
  /** What the login knows, or what this hook has returned last time. */
  readonly props: { readonly [key: string]: unknown } | undefined
  readonly env: unknown
}

export interface IssueAnswer {
  /** Beside the registered claims of the access token, which they cannot replace. Readable by the client. */
  readonly claims?: JsonObject
  /** Instead of the props so far: `ctx.auth.props`. JSON; kept encrypted. */
  readonly props?: { readonly [key: string]: unknown }
}

export interface AuthHooks {
  /** Before a grant's first token is issued. Throwing refuses it. */
  readonly onIssue?: (event: IssueEvent) => Promise<IssueAnswer> | IssueAnswer
  /** Before each refresh. Throwing refuses it, and leaves the grant as it is. */
  readonly onRefresh?: (event: IssueEvent) => Promise<IssueAnswer> | IssueAnswer
}
