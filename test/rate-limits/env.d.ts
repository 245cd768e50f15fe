/** The binding that the rate limit tests run with. */
/// <reference types="@cloudflare/vitest-plugin/types" />

declare namespace Cloudflare {
  interface Env {
    readonly FIVE_PER_MINUTE: RateLimit
  }
}
