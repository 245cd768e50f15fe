/** The bindings of a Worker, where its author names no others. */

declare global {
  namespace Cloudflare {
    /** Declared by `wrangler types`, from the configuration of the Worker. */
    interface Env {}
  }
}

/** What `wrangler types` has generated. */
export type DefaultEnv = Cloudflare.Env
