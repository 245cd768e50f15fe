/** What the tests of objects without a feature run with. */
/// <reference types="@cloudflare/vitest-plugin/types" />

declare namespace Cloudflare {
  interface Env {
    readonly UNUSED_OBJECT: DurableObjectNamespace
  }
}
