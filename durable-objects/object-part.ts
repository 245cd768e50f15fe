/** What most parts of objects have: an object is of one kind, and its part is what it stores and does. */

/** A part has the members of a `DurableObject`. Its methods but those of `ObjectEvents` can be called. */
export abstract class ObjectPart {
  protected readonly ctx: DurableObjectState
  protected readonly env: Cloudflare.Env

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    this.ctx = ctx
    this.env = env
  }
}
