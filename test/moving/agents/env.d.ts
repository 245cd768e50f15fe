/** What the tests of moved agents run with. */
/// <reference types="@cloudflare/vitest-plugin/types" />

declare namespace Cloudflare {
  interface Env {
    readonly OAUTH_KV: KVNamespace
    readonly MCP_SERVER_NAME: string
  }
}
