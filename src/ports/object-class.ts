/** The class of the objects of a Worker, as its entry exports it. */
import type { DurableObject } from 'cloudflare:workers'

/** The Durable Object class of Edgeway. Only Edgeway calls its methods. */
export type EdgewayObjectClass = new (
  ctx: DurableObjectState,
  env: Cloudflare.Env,
) => DurableObject<Cloudflare.Env> & {
  /** The one RPC of all kinds of objects. */
  call(kind: string, method: string, parameters: readonly unknown[]): Promise<unknown>
}
