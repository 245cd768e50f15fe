/**
 * State handles: seals of the names of an owner and an entry, bound to the caller. A forged handle, and one
 * of another caller, names nothing, so it is refused without a call of an object.
 *
 * Possession proves nothing, because handles are in chat logs. The client is not bound: another program of the same
 * person may use the handle.
 */

import type { Call, CallRequest } from '../../dispatch/call.ts'
import { bound } from '../../feature/binding.ts'
import { clientNetwork, LOCAL_NETWORK } from '../../platform/client-network.ts'
import { sha256Base64Url } from '../../platform/digest.ts'
import { openJson, sealJson } from '../../ports/sealer.ts'
import { principalDigest } from '../../protocol/principal.ts'

/** Maximum length of a handle, in UTF-16 code units: ours are far shorter. */
const MAX_LENGTH = 512

export interface OpenedHandle {
  readonly owner: string
  readonly id: string
}

/**
 * The owner of the handles and files that a caller creates: its principal, and without one its network, by which they
 * are counted. Undefined when the network is not known: such a handle is counted by nothing.
 */
export async function ownerOf({ auth, headers }: CallRequest): Promise<string | undefined> {
  if (auth !== undefined) return principalDigest(auth)
  const network = clientNetwork({ headers })
  if (network === LOCAL_NETWORK) return undefined
  return sha256Base64Url(JSON.stringify(['network', network]))
}

export async function sealHandle(call: Call, { owner, id }: OpenedHandle): Promise<string> {
  return sealJson(sealerOf(call), 'state-handle/1', [owner, id], callerContext(call))
}

/** Undefined for text that is no handle of this caller. */
export async function openHandle(call: Call, handle: unknown): Promise<OpenedHandle | undefined> {
  if (typeof handle !== 'string') return undefined
  const context = callerContext(call)
  const sealer = sealerOf(call)
  const opened = await openJson<string[]>(sealer, 'state-handle/1', handle, context, MAX_LENGTH)
  const [owner, id] = opened ?? []
  return owner === undefined || id === undefined ? undefined : { owner, id }
}

const sealerOf = ({ services }: Call) =>
  bound(
    services.sealer(),
    'State handles need the binding MCP_OBJECTS or the secret EDGEWAY_SECRET',
  )

/** What handles and files are bound to. Not to the client: another program of the same person may use it. */
export function callerContext({ request, deployment }: Call): string {
  const { auth, factoryParams } = request
  const principal = auth === undefined ? null : [auth.issuer, auth.subject, auth.resource]
  return JSON.stringify([deployment.audience, principal, Object.entries(factoryParams)])
}
