declare namespace Cloudflare {
  interface Env {
    readonly SEARCH_SESSION: DurableObjectNamespace
    readonly SEARCH_TASK: DurableObjectNamespace
  }
}
