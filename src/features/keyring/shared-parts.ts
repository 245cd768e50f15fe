/** The parts of objects that several features need. */
import { PrincipalsObject } from '../../../durable-objects/keyring/principals-object.ts'
import { RedeemedObject } from '../../../durable-objects/keyring/redeemed-object.ts'
import type { PartSource } from '../../ports/objects.ts'

/** The lists of the sessions and tasks of principals. */
export const PRINCIPALS: PartSource = {
  create: (state, env) => new PrincipalsObject(state, env),
}

/** The names that were redeemed. */
export const REDEEMED: PartSource = { create: (state, env) => new RedeemedObject(state, env) }
