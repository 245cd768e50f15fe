/** Types of the environment of the example tests: the bindings and the Worker of the root `wrangler.toml`. */
/// <reference types="@cloudflare/vitest-plugin/types" />

declare namespace Cloudflare {
  interface Env {
    readonly MCP_OBJECTS: DurableObjectNamespace
    readonly NOTEBOOK: DurableObjectNamespace<
      import('../../examples/notebook/object/notebook-object.ts').Notebook
    >
  }
  interface GlobalProps {
    mainModule: typeof import('../../examples/notebook/worker.ts')
  }
}
