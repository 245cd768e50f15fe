/** The account class of a Worker without an authorization server. */
import { DurableObject } from '#runtime'

/**
 * Keeps the rows of an account and serves nothing. The migrations of a deployed Worker still name the
 * class after `embedded()` was removed, so the Worker must export it, but need not bundle its code.
 */
export class UnusedAccount extends DurableObject {
  override async alarm(): Promise<void> {
    // Expired rows stay until an authorization server is configured again.
  }
}
