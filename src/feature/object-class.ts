/** The class of a Durable Object, as the Worker's entry exports it. */
import type { DurableObject } from 'cloudflare:workers'

/** A Durable Object class of Edgeway. Only Edgeway calls its methods. */
export type EdgewayObjectClass = new (
  ctx: DurableObjectState,
  env: Cloudflare.Env,
) => DurableObject<Cloudflare.Env>
