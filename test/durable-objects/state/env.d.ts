/** What the tests of state run with. */
/// <reference types="@cloudflare/vitest-plugin/types" />

declare namespace Cloudflare {
  interface Env {
    readonly MCP_STATE: DurableObjectNamespace<
      import('../../../durable-objects/state/state-object.ts').McpState
    >
  }
}
