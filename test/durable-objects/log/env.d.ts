/** What the tests of the log run with. */
/// <reference types="@cloudflare/vitest-plugin/types" />

declare namespace Cloudflare {
  interface Env {
    readonly MCP_LOG: DurableObjectNamespace<
      InstanceType<import('../../../durable-objects/log/log-object.ts').LogObjectClass>
    >
  }
}
