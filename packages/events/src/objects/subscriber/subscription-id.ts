/** The id of a subscription: derived from its key, so that it is the same after every restart. Not a capability. */
import { sha256 } from '../../../../../src/platform/digest.ts'
import type { SubscriptionKey } from '../port.ts'

/** @param principal the name of the object */
export async function subscriptionId(
  principal: string,
  { url, type, arguments: args }: SubscriptionKey,
): Promise<string> {
  const texts = [principal, url, type].map((text) => JSON.stringify(text))
  return `sub_${(await sha256(`[${texts.join(',')},${args}]`)).toHex()}`
}
