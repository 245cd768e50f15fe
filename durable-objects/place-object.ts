/**
 * The one object outside of every jurisdiction: it stores which one the others are in, and nothing else.
 *
 * A word inside the jurisdiction would not be found after the setting has changed, and the data could not be moved. It
 * is stored for a server without a jurisdiction too, so that a later one is noticed.
 */
import { ObjectPart } from './object-part.ts'

const JURISDICTION = 'jurisdiction'

/** Layout: one word. Lifetime: that of the deployment. */
export class PlaceObject extends ObjectPart {
  /** The word that was confirmed first. */
  confirm(jurisdiction: string): string {
    const { kv } = this.ctx.storage
    const stored = kv.get<string>(JURISDICTION)
    if (stored === undefined) kv.put(JURISDICTION, jurisdiction)
    return stored ?? jurisdiction
  }
}
