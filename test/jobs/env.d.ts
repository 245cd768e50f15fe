/** The bindings of the project `jobs`. */
declare namespace Cloudflare {
  interface Env {
    readonly SCRIPTED: Workflow<{ how: string }>
    readonly PUBLICATION: Workflow<{ slug: string; text: string }>
    readonly PAGES: KVNamespace
    readonly EDITOR_TOKEN: string
    readonly TRANSCRIBER: string
  }
}
