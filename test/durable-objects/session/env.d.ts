/** What the tests of sessions run with. */
/// <reference types="@cloudflare/vitest-plugin/types" />

declare namespace Cloudflare {
  interface Env {
    readonly MCP_SESSION: DurableObjectNamespace<
      InstanceType<import('../../../durable-objects/session/session-object.ts').SessionObjectClass>
    >
  }
}
