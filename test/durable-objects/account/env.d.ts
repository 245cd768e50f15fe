/** What the tests of accounts run with. */
/// <reference types="@cloudflare/vitest-plugin/types" />

declare namespace Cloudflare {
  interface Env {
    readonly MCP_ACCOUNT: DurableObjectNamespace<
      import('../../../durable-objects/account/account-object.ts').McpAccount
    >
  }
}
