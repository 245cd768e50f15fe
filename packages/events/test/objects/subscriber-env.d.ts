/** What the tests of the object of a principal run with. */
/// <reference types="@cloudflare/vitest-plugin/types" />

declare namespace Cloudflare {
  interface Env {
    readonly SUBSCRIBER_OBJECT: DurableObjectNamespace
  }
}
