/** What the tests of sessions run with. */
/// <reference types="@cloudflare/vitest-plugin/types" />

declare namespace Cloudflare {
  interface Env {
    readonly AUTHORIZED_SESSION: Env['MCP_SESSION']
    readonly AUTHORIZED_TASK_SESSION: Env['MCP_SESSION']
    readonly FACTORY_SESSION: Env['MCP_SESSION']
    readonly TASK_SESSION: Env['MCP_SESSION']
    readonly MCP_SESSION: DurableObjectNamespace<
      InstanceType<import('../../../durable-objects/session/session-object.ts').SessionObjectClass>
    >
  }
}
