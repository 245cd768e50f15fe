/** The binding of the objects of the tests. */
/// <reference types="@cloudflare/vitest-plugin/types" />

declare namespace Cloudflare {
  interface Env {
    readonly MCP_OBJECTS: DurableObjectNamespace
  }
}
