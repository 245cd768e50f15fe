/** What the tests of the examples run with: the root `wrangler.toml`, its bindings and its Worker. */
/// <reference types="@cloudflare/vitest-plugin/types" />

declare namespace Cloudflare {
  interface Env {
    readonly NOTEBOOK: DurableObjectNamespace<
      import('../../examples/notebook/object/notebook-object.ts').Notebook
    >
  }
  interface GlobalProps {
    mainModule: typeof import('../../examples/notebook/worker.ts')
  }
}
