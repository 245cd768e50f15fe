/** What the tests of the keyring run with. */
/// <reference types="@cloudflare/vitest-plugin/types" />

declare namespace Cloudflare {
  interface Env {
    readonly MCP_KEYRING: DurableObjectNamespace<
      import('../../../durable-objects/keyring/keyring-object.ts').McpKeyring
    >
  }
}
