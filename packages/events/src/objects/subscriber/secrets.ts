/** The secrets of callbacks: sealed at rest, and never in a message, an error or telemetry. */
import { decodeUtf8, encodeUtf8 } from '../../../../../src/platform/utf8.ts'
import type { Sealer } from '../../../../../src/ports/sealer.ts'
import { parseCallbackSecret } from '../callback-secret.ts'
import type { SubscriberParts } from './parts.ts'
import type { SubscriptionRow } from './schema.ts'

type SecretColumns = Pick<SubscriptionRow, 'id' | 'secret' | 'previous_secret' | 'previous_until'>

const PURPOSE = 'event-secret/1'

/** @param id of the subscription */
export function sealSecret(parts: SubscriberParts, id: string, secret: string): Promise<string> {
  return sealerOf(parts).seal(PURPOSE, encodeUtf8(secret), contextOf(parts, id))
}

/** Undefined for a secret whose keys are gone. */
export async function openSecret(
  parts: SubscriberParts,
  id: string,
  sealed: string,
): Promise<string | undefined> {
  const opened = await sealerOf(parts).open(PURPOSE, sealed, contextOf(parts, id))
  return opened && decodeUtf8(opened)
}

/** The keys that sign now: that of the secret, and that of the one before it during the overlap. */
export async function signingKeys(
  parts: SubscriberParts,
  { id, secret, previous_secret, previous_until }: SecretColumns,
): Promise<readonly Uint8Array<ArrayBuffer>[]> {
  const isOverlap = previous_until !== null && previous_until > parts.now
  const sealed = [secret, isOverlap ? previous_secret : null].filter((text) => text !== null)
  const secrets = await Promise.all(sealed.map((text) => openSecret(parts, id, text)))
  return secrets.map((text) => parseCallbackSecret(text ?? '')).filter((key) => key !== undefined)
}

/** With the name of the object: a secret of another object does not open. */
function contextOf({ context }: SubscriberParts, id: string): string {
  return JSON.stringify([context.principal, id])
}

function sealerOf(parts: SubscriberParts): Sealer {
  const sealer = parts.sealer()
  if (sealer === undefined)
    throw new TypeError('The secrets of callbacks need keys to be sealed with')
  return sealer
}
