/** The bindings of the two servers, which the configuration of the tests declares. */

declare namespace Cloudflare {
  interface Env {
    readonly DOCS_SESSION: Env['MCP_SESSION']
    readonly NOTES_SESSION: Env['MCP_SESSION']
    readonly DOCS_TASK: Env['MCP_TASK']
    readonly NOTES_TASK: Env['MCP_TASK']
  }
}
