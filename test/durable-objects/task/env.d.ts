/** What the tests of tasks run with. */
/// <reference types="@cloudflare/vitest-plugin/types" />

declare namespace Cloudflare {
  interface Env {
    readonly MCP_TASK: DurableObjectNamespace<
      InstanceType<import('../../../durable-objects/task/task-object.ts').TaskObjectClass>
    >
    readonly AUTHORIZED_TASK: Cloudflare.Env['MCP_TASK']
    readonly JOB_TASK: Cloudflare.Env['MCP_TASK']
    readonly TOOL_TASK: Cloudflare.Env['MCP_TASK']
    readonly HELD_TASK: Cloudflare.Env['MCP_TASK']
    readonly HELD_SESSION: DurableObjectNamespace
  }
}
