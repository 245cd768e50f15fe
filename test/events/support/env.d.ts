declare namespace Cloudflare {
  interface Env {
    readonly ROWS_EVENTS: DurableObjectNamespace
  }
}
