/** The secrets of webhooks: seals that name the object of a call, and what it waits for. */

import type { Deployment } from '../../dispatch/call.ts'
import { bound } from '../../feature/binding.ts'
import { openJson, type Sealer, sealJson } from '../../ports/sealer.ts'

/** The path below which webhooks are served. */
export const WEBHOOKS_PATH = '/webhooks'

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
  const sealer = bound(services.sealer(), 'ctx.webhook needs the keyring')
  const members = run === undefined ? [name, key] : [name, key, run]
  // The same URL each time that the handler runs. Names have 256 random bits.
  const options = { deterministic: true }
  const secret = await sealJson(sealer, 'webhook/1', members, audience, options)
  return `${origin}${WEBHOOKS_PATH}/${secret}`
}

export async function openWebhook(
  sealer: Sealer,
  audience: string,
  secret: string,
): Promise<Webhook | undefined> {
  const members = await openJson<readonly string[]>(sealer, 'webhook/1', secret, audience)
  const [name, key, run] = members ?? []
  return name === undefined || key === undefined ? undefined : { name, key, run }
}
