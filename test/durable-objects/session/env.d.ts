/** What the tests of sessions run with. */
/// <reference types="@cloudflare/vitest-plugin/types" />

declare namespace Cloudflare {
  interface Env {
    readonly MCP_SESSION: DurableObjectNamespace<
      InstanceType<typeof import('../../support/session-server.ts').McpSession>
    >
  }
}
