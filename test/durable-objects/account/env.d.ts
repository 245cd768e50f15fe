/** The bindings of the account tests: one namespace per set of limits. */
/// <reference types="@cloudflare/vitest-plugin/types" />

type AccountBinding = DurableObjectNamespace<
  InstanceType<import('../../../durable-objects/account/account-object.ts').AccountObjectClass>
>

declare namespace Cloudflare {
  interface Env {
    readonly MCP_ACCOUNT: AccountBinding
    readonly ACCOUNT_SHORT_GRANTS: AccountBinding
    readonly ACCOUNT_SHORT_REFRESH_TOKENS: AccountBinding
    readonly ACCOUNT_THREE_GRANTS: AccountBinding
    readonly ACCOUNT_LOW_CAPS: AccountBinding
  }
}
