/**
 * Task ids: seals that name a task object. A forged one names none, so it is refused without a call of an object.
 * A task id contains the principal that it belongs to.
 */
import { openJson, type Sealer, sealJson } from '../../ports/sealer.ts'
import type { AuthInfo } from '../../protocol/auth-info.ts'
import { principalDigest } from '../../protocol/principal.ts'

const ANONYMOUS = 'anonymous'

/** The digest of the caller as a task id contains it. */
export async function taskPrincipal(auth: AuthInfo | undefined): Promise<string> {
  return auth === undefined ? ANONYMOUS : principalDigest(auth)
}

/** @param principal a digest of `taskPrincipal` */
export function sealTaskId(
  sealer: Sealer,
  audience: string,
  name: string,
  principal: string,
): Promise<string> {
  return sealJson(sealer, 'task/1', [name, principal], audience)
}

/** Returns the name and the principal of a task id; undefined for text that is no id of this deployment. */
export async function openTaskId(
  sealer: Sealer,
  audience: string,
  taskId: string,
): Promise<{ readonly name: string; readonly principal: string } | undefined> {
  const [name, principal] =
    (await openJson<readonly string[]>(sealer, 'task/1', taskId, audience)) ?? []
  return name === undefined || principal === undefined ? undefined : { name, principal }
}

/** Returns the name of a task of a principal; undefined for any other id. */
export async function findTaskName(
  sealer: Sealer,
  audience: string,
  principal: string,
  taskId: string,
): Promise<string | undefined> {
  const opened = await openTaskId(sealer, audience, taskId)
  return opened?.principal === principal ? opened.name : undefined
}
