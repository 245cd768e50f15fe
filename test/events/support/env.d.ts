declare namespace Cloudflare {
  interface Env {
    readonly ROWS_EVENTS: DurableObjectNamespace
    readonly OPENED_EVENTS: DurableObjectNamespace
    readonly OPENED_TASK: DurableObjectNamespace
  }
}
