/** What the tests of the hub run with. */
/// <reference types="@cloudflare/vitest-plugin/types" />

declare namespace Cloudflare {
  interface Env {
    readonly MCP_HUB: DurableObjectNamespace<
      import('../../../durable-objects/hub/hub-object.ts').McpHub
    >
  }
}
