/**
 * Task ids and the secrets of webhooks: seals that name a task object. A forged one names none, so it is
 * refused without a call of an object. A task id contains the principal that it belongs to.
 */

import { decodeUtf8 } from '../platform/utf8.ts'
import type { Sealer } from '../ports/sealer.ts'
import type { AuthInfo } from '../protocol/auth-info.ts'
import { principalDigest } from '../protocol/principal.ts'
import type { Deployment } from './call.ts'

/** The path below which webhooks are served. */
export const WEBHOOKS_PATH = '/webhooks'

/** Maximum length of a task id or a secret, in UTF-16 code units: ours are far shorter. */
const MAX_LENGTH = 1024

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
  return sealer.seal('task/1', encode([name, principal]), audience)
}

/** Returns the name and the principal of a task id; undefined for text that is no id of this deployment. */
export async function openTaskId(
  sealer: Sealer,
  audience: string,
  taskId: string,
): Promise<{ readonly name: string; readonly principal: string } | undefined> {
  const [name, principal] = (await open(sealer, 'task/1', audience, taskId)) ?? []
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

/** The wait that a webhook delivers to. */
export interface Webhook {
  /** The name of the task object, or of the session object. */
  readonly name: string
  /** The key of the wait. */
  readonly key: string
  /** The run that waits, in a session; undefined in a task. */
  readonly run?: string | undefined
}

/**
 * @param origin of the URL that the client called
 * @throws {TypeError} without the keyring
 */
export async function webhookUrl(
  { services, audience }: Pick<Deployment, 'services' | 'audience'>,
  origin: string,
  { name, key, run }: Webhook,
): Promise<string> {
  const sealer = services.sealer()
  if (sealer === undefined) throw new TypeError('ctx.webhook needs the keyring')
  const members = run === undefined ? [name, key] : [name, key, run]
  // The same URL each time that the handler runs. Names have 256 random bits.
  const options = { deterministic: true }
  const secret = await sealer.seal('webhook/1', encode(members), audience, options)
  return `${origin}${WEBHOOKS_PATH}/${secret}`
}

export async function openWebhook(
  sealer: Sealer,
  audience: string,
  secret: string,
): Promise<Webhook | undefined> {
  const [name, key, run] = (await open(sealer, 'webhook/1', audience, secret)) ?? []
  return name === undefined || key === undefined ? undefined : { name, key, run }
}

const encode = (members: readonly string[]) => new TextEncoder().encode(JSON.stringify(members))

async function open(
  sealer: Sealer,
  purpose: 'task/1' | 'webhook/1',
  audience: string,
  text: string,
): Promise<readonly string[] | undefined> {
  if (text.length > MAX_LENGTH) return undefined
  const bytes = await sealer.open(purpose, text, audience)
  return bytes && (JSON.parse(decodeUtf8(bytes)) as readonly string[])
}
