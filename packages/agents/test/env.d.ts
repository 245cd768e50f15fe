/** What the tests of moved agents run with. */
/// <reference types="@cloudflare/vitest-plugin/types" />

declare namespace Cloudflare {
  interface Env {
    readonly COUNTER: DurableObjectNamespace<import('./servers/counter.ts').Counter>
    readonly FAULTY: DurableObjectNamespace<import('./servers/attacked.ts').Faulty>
    readonly NOTES: DurableObjectNamespace<import('./servers/attacked.ts').Notes>
    readonly OTHER_NOTES: DurableObjectNamespace<import('./servers/attacked.ts').OtherNotes>
    readonly MCP_SERVER_NAME: string
    readonly OAUTH_KV: KVNamespace
  }
}
