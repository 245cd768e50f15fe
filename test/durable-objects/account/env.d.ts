/** The bindings of the account tests: one namespace per set of limits. */
/// <reference types="@cloudflare/vitest-plugin/types" />

declare namespace Cloudflare {
  interface Env {
    readonly ACCOUNT_SHORT_GRANTS: DurableObjectNamespace
    readonly ACCOUNT_SHORT_REFRESH_TOKENS: DurableObjectNamespace
    readonly ACCOUNT_THREE_GRANTS: DurableObjectNamespace
    readonly ACCOUNT_LOW_CAPS: DurableObjectNamespace
  }
}
