/** The bindings of the tests of this folder, as `vitest.config.ts` declares them. */
declare namespace Cloudflare {
  interface Env {
    readonly MCP_ANALYTICS: AnalyticsEngineDataset
  }
}
