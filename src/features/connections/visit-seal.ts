/** The address of a page at which a person connects an account: an opaque reference, which a forged one is not. */
import type { Call } from '../../dispatch/call.ts'
import { bound } from '../../feature/binding.ts'
import { openJson, type Sealer, sealJson } from '../../ports/sealer.ts'
import { personDigest } from '../../protocol/principal.ts'
import type { Person } from './store.ts'

export const CONNECT_PATH = '/connect'

export interface VisitReference {
  /** The digest of the person who was asked. */
  readonly person: string
  readonly id: string
}

export async function visitUrl(call: Call, person: Person, id: string): Promise<string> {
  const { services, audience } = call.deployment
  const sealer = bound(services.sealer(), 'ctx.connect needs the keyring')
  const members = [await personDigest(person), id]
  const at = await sealJson(sealer, 'connect/1', members, audience, { deterministic: true })
  return `${call.request.origin()}${CONNECT_PATH}?at=${at}`
}

/** Undefined for a text that this server has not sealed. */
export async function openVisit(
  sealer: Sealer,
  audience: string,
  at: string,
): Promise<VisitReference | undefined> {
  const [person, id] = (await openJson<readonly string[]>(sealer, 'connect/1', at, audience)) ?? []
  return person === undefined || id === undefined ? undefined : { person, id }
}
