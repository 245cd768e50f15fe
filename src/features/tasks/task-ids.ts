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

/** The same with the key of an open ask: the handle of a question that a model passes on. */
export function sealQuestionId(
  sealer: Sealer,
  audience: string,
  { name, principal, question }: Required<OpenedTaskId>,
): Promise<string> {
  return sealJson(sealer, 'task/1', [name, principal, question], audience)
}

interface OpenedTaskId {
  readonly name: string
  readonly principal: string
  /** The key of the ask that the id names. */
  readonly question?: string
}

/** Returns what a task id names; undefined for text that is no id of this deployment. */
export async function openTaskId(
  sealer: Sealer,
  audience: string,
  taskId: string,
): Promise<OpenedTaskId | undefined> {
  const [name, principal, question] =
    (await openJson<readonly string[]>(sealer, 'task/1', taskId, audience)) ?? []
  if (name === undefined || principal === undefined) return undefined
  return { name, principal, ...(question !== undefined && { question }) }
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
