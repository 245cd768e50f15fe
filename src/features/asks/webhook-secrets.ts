/** The secrets of webhooks: seals that name the object of a call, and what it waits for. */

import type { Deployment } from '../../dispatch/call.ts'
import type { Sealer } from '../../ports/sealer.ts'
import { encodeTexts, openTexts } from './sealed-texts.ts'

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
  const sealer = services.sealer()
  if (sealer === undefined) throw new TypeError('ctx.webhook needs the keyring')
  const members = run === undefined ? [name, key] : [name, key, run]
  // The same URL each time that the handler runs. Names have 256 random bits.
  const options = { deterministic: true }
  const secret = await sealer.seal('webhook/1', encodeTexts(members), audience, options)
  return `${origin}${WEBHOOKS_PATH}/${secret}`
}

export async function openWebhook(
  sealer: Sealer,
  audience: string,
  secret: string,
): Promise<Webhook | undefined> {
  const [name, key, run] = (await openTexts(sealer, 'webhook/1', audience, secret)) ?? []
  return name === undefined || key === undefined ? undefined : { name, key, run }
}
