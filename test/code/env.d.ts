/** The bindings of the server with code, which the configuration of the tests declares. */

declare namespace Cloudflare {
  interface Env {
    readonly CODE_SESSION: Env['MCP_SESSION']
    readonly CODE_TASK: Env['MCP_TASK']
    readonly SCOPED_SESSION: Env['MCP_SESSION']
    readonly SCOPED_TASK: Env['MCP_TASK']
  }
}
