/** What the tests of the log of events run with. */
/// <reference types="@cloudflare/vitest-plugin/types" />

declare namespace Cloudflare {
  interface Env {
    /** How often each fault is injected. */
    readonly EDGEWAY_TIMES: string
    readonly EVENT_LOG: DurableObjectNamespace<
      import('../../../../test/support/event-log-object.ts').EventLogObject
    >
  }
}
