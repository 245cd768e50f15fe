/** The bindings of the project `jobs`. */
declare namespace Cloudflare {
  interface Env {
    readonly SCRIPTED: Workflow<{ how: string }>
    readonly PUBLICATION: Workflow<{ slug: string; text: string }>
    readonly PAGES: KVNamespace
    readonly EDITOR_TOKEN: string
    readonly TRANSCRIBER: string
    readonly WORKFLOWS_TASK: Cloudflare.Env['MCP_TASK']
    readonly PAGES_TASK: Cloudflare.Env['MCP_TASK']
    readonly TRANSCRIBER_TASK: Cloudflare.Env['MCP_TASK']
  }
}
