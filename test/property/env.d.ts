/** What the property suites run with. */
/// <reference types="@cloudflare/vitest-plugin/types" />

declare namespace Cloudflare {
  interface Env {
    readonly EDGEWAY_SEED?: string
  }
}
