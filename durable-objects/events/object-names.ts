/** Names of the objects: computed, never parsed but for their kind. */
import { sha256Base64Url } from '../../src/platform/digest.ts'
import type { LogName } from '../../src/ports/events.ts'

const LOG = 'log:'

/** Whether the object with this name is a log. */
export function isLogName(name: string | undefined): boolean {
  return name?.startsWith(LOG) === true
}

export async function logObjectName(audience: string, { type, subject }: LogName): Promise<string> {
  return `${LOG}${await sha256Base64Url(JSON.stringify([audience, type, subject ?? null]))}`
}

/** @param principal from `principalDigest` */
export function subscriberObjectName(principal: string): string {
  return `subscriber:${principal}`
}
